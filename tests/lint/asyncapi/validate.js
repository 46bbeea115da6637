// Prints what AsyncAPI's own parser finds wrong with a document, schemas and examples included; exit 1 if anything.
import { Parser, fromFile } from '@asyncapi/parser';

const { diagnostics } = await fromFile(new Parser(), process.argv[2]).parse();
for (const one of diagnostics) {
  console.log(`${process.argv[2]}: ${one.path.join('.')}: ${one.message} (${one.code})`);
}
process.exit(diagnostics.length > 0 ? 1 : 0);

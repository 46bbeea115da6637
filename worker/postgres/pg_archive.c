/* Files with their checksums, on the disk before anything is deleted: see pg_archive.h. */
#include "worker/postgres/pg_archive.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "producer/base/allocate.h"

enum {
    TABLES_MAX = 10,
    NAME_SIZE = 64
};

struct archived {
    const char *table;
    FILE *file;
    EVP_MD_CTX *digest;
};

struct pg_archive {
    const char *directory;
    char name[NAME_SIZE];
    struct archived tables[TABLES_MAX];
    size_t count;
};

struct pg_archive *pg_archive_begin(const char *directory, const char *name)
{
    struct pg_archive *archive = memory_calloc(1, sizeof *archive);
    archive->directory = directory;
    snprintf(archive->name, sizeof archive->name, "%s", name);
    return archive;
}

static void path_of(const struct pg_archive *archive, const char *table, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.%s", archive->directory, archive->name, table);
}

static enum usher_status refuse(const struct pg_archive *archive, const char *table,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG, "could not write \"%s/%s.%s\": %s", archive->directory,
                    archive->name, table, strerror(errno));
    return USHER_FATAL;
}

/* What it has is of customers: nobody else may read it. NULL: it could not be made, errno says why.
 */
static FILE *create(const char *path)
{
    FILE *file = NULL;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor >= 0 && fchmod(descriptor, S_IRUSR | S_IWUSR) == 0)
        file = fdopen(descriptor, "w");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

static struct archived *table_of(struct pg_archive *archive, const char *table)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < archive->count; i++)
        if (strcmp(archive->tables[i].table, table) == 0)
            return &archive->tables[i];
    assert(archive->count < TABLES_MAX);
    struct archived *added = &archive->tables[archive->count];
    path_of(archive, table, path);
    added->table = table;
    added->file = create(path);
    if (!added->file)
        return NULL;
    added->digest = EVP_MD_CTX_new();
    assert(added->digest && EVP_DigestInit_ex(added->digest, EVP_sha256(), NULL) == 1);
    archive->count++;
    return added;
}

enum usher_status pg_archive_write(struct pg_archive *archive, const char *table, const char *text,
                                   size_t size, struct usher_error *err)
{
    struct archived *file = table_of(archive, table);
    if (!file || fwrite(text, 1, size, file->file) != size)
        return refuse(archive, table, err);
    EVP_DigestUpdate(file->digest, text, size);
    return USHER_OK;
}

static bool to_disk(FILE *file)
{
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

/* A line as sha256sum writes it. */
static void write_sum(const struct pg_archive *archive, const struct archived *archived, FILE *sums)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(archived->digest, digest, &size);
    for (unsigned int i = 0; i < size; i++)
        fprintf(sums, "%02x", digest[i]);
    fprintf(sums, "  %s.%s\n", archive->name, archived->table);
}

/* So that the names of the files are on the disk, too. */
static bool directory_to_disk(const char *directory)
{
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool written = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return written;
}

enum usher_status pg_archive_finish(struct pg_archive *archive, struct usher_error *err)
{
    char path[PATH_MAX];
    path_of(archive, "sha256", path);
    FILE *sums = create(path);
    if (!sums)
        return refuse(archive, "sha256", err);
    bool written = true;
    for (size_t i = 0; i < archive->count; i++) {
        written = to_disk(archive->tables[i].file) && written;
        write_sum(archive, &archive->tables[i], sums);
    }
    written = to_disk(sums) && written;
    written = fclose(sums) == 0 && written;
    written = directory_to_disk(archive->directory) && written;
    return written ? USHER_OK : refuse(archive, "sha256", err);
}

void pg_archive_free(struct pg_archive *archive)
{
    if (!archive)
        return;
    for (size_t i = 0; i < archive->count; i++) {
        fclose(archive->tables[i].file);
        EVP_MD_CTX_free(archive->tables[i].digest);
    }
    free(archive);
}

void pg_archive_abandon(struct pg_archive *archive)
{
    char path[PATH_MAX];
    if (!archive)
        return;
    for (size_t i = 0; i < archive->count; i++) {
        path_of(archive, archive->tables[i].table, path);
        unlink(path);
    }
    path_of(archive, "sha256", path);
    unlink(path);
    pg_archive_free(archive);
}

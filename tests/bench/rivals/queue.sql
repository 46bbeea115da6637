-- A queue table: ask, then look until it is answered.
call rival.ask(:client_id);

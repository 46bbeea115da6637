-- A conditional update with retry, of the best seats: everybody wants the same.
select rival.conditional(:client_id, 0);

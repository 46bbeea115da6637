-- FOR UPDATE of the seats themselves. Who waited for a row that was taken meanwhile has too few and looks again.
select rival.for_update(:client_id);

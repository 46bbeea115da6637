-- Sets the time of a partition back to the server's clock. $1 partition.
select was, became, ends_late, last_end from usher.reset_clock($1)

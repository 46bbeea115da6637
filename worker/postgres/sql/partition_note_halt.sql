-- Why a partition is halted. $1 partition, $2 epoch, $3 next offset, $4 why. Only while the epoch is still that one.
insert into usher.partition_halt (partition, epoch, next_offset, reason)
select partition, epoch, $3, $4 from usher.partition_state where partition = $1 and epoch = $2
on conflict do nothing

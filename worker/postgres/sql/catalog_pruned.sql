-- Pruned resources that Redis may still show: the next prune deletes them there.
select resource from usher.pruned where hidden_at is null

-- Pruned resources that Redis may still show.
select resource_no, resource, epoch from usher.pruned where hidden_at is null order by resource_no limit 1000

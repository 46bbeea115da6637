-- Of a later version: it says nothing of workers, so they are stopped before.

set local role usher_owner;

drop view usher.later;

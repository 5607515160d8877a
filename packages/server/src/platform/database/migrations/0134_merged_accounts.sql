-- The account into which this one was merged: it stays as the author of what it wrote.
alter table principal add column merged_into uuid references principal (id);

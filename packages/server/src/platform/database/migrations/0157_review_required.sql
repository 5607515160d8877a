-- Whose direct changes a space reviews first (decisions, section 15): 1 people, 2 keys of people, 4 agents and apps.
alter table space add column reviewed smallint not null generated always as (
  case when review ->> 'people' = 'required' then 1 else 0 end
  + case when review ->> (case when review ->> 'keys' = 'agents' then 'agents' else 'people' end) = 'required' then 2 else 0 end
  + case when review ->> 'agents' = 'required' then 4 else 0 end
) stored;

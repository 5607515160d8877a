-- The previous release, which may run beside this one, finds links by `link_target`. A later one drops it.
select;

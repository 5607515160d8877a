import { sql } from 'kysely'

/**
 * For the `from` of a statement: its transaction commits asynchronously, without waiting for the disk. A crash may lose
 * what it wrote, but only together with whatever was committed after it: for work that is done again then, and of which
 * nobody is told before a later commit.
 */
export const asynchronousCommit = sql`(select set_config('synchronous_commit', 'off', true)) asynchronous_commit`

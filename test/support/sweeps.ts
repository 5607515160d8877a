import { until } from './embedded.ts'
import type { Nodes } from './nodes.ts'

/**
 * Keeps nodes from a periodic sweep, for a test that sweeps by itself and asserts what it finds. Waits for one that is
 * running.
 */
export async function holdSweep({ query }: Pick<Nodes, 'query'>, name: string): Promise<void> {
  const lease = `
    insert into lease (name, holder, expires_at) values ($1, gen_random_uuid(), now() + interval '1 day')
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where lease.expires_at <= now()`
  await until(async () => (await query(lease, [name])).rowCount === 1)
}

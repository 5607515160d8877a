import { registerSampled } from '@recto/lib/sampled.ts'
import type { Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import { findBacklog } from './store-rebuild.ts'

/** Registers the rebuilds of the link index that are not done. */
export function rebuildMetrics(registry: Registry, db: Db): void {
  registerSampled(registry, [
    {
      name: 'recto_link_rebuilds_running',
      help: 'Rebuilds of the link index that are not done.',
      sample: async () => (await findBacklog(db)).running,
    },
    {
      name: 'recto_link_rebuild_oldest_seconds',
      help: 'Age of the oldest of these; 0 when there is none.',
      sample: async () => (await findBacklog(db)).seconds,
    },
  ])
}

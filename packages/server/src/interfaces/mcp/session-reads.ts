import { Lru } from '@recto/lib/lru.ts'
import type { Source } from '../../content/change-requests/store-sources.ts'
import type { PageRevision } from '../../content/pages/read.ts'

const MAX_READS = 200
/** The pages that each session has read on this node, in the memory of the process: a read must cost no write. */
const sessions = new Lru<string, ReadonlyMap<string, Source>>({ maxWeight: 50_000, weigh: ({ size }) => size })

/** Notes that a session has read a page: a source of what it proposes later, unless it is a draft alone. */
export function noteRead(session: string, { space, row, version }: PageRevision): void {
  if (version < 1) return
  const source = { space_id: space.id, path: row.path, version }
  const others = [...(sessions.get(session) ?? [])].filter(([key]) => key !== `${space.id}/${row.path}`)
  sessions.set(session, new Map([...others.slice(1 - MAX_READS), [`${space.id}/${row.path}`, source]]))
}

export function listReads(session: string): Source[] {
  return [...(sessions.get(session)?.values() ?? [])]
}

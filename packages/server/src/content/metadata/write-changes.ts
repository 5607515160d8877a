import type { Actor } from '../../access/caller.ts'
import type { PageAccess } from '../../access/page.ts'
import { type EventTx, recordEvents } from '../../events/feed/record.ts'
import type { KeyChange } from './patch.ts'
import { writeChanges } from './store-changes.ts'

export interface PageChange {
  readonly page: Pick<PageAccess, 'id' | 'spaceId' | 'path' | 'title' | 'version'>
  readonly patchId: string
  readonly lastSeq: number
  readonly changes: readonly KeyChange[]
  readonly actor: Actor
  /** The connection of the app that acts for the actor. */
  readonly via: string | undefined
  readonly now: Date
}

/** Writes the changes of distinct pages with their events; fails as overtaken where `writeChanges` does. */
export async function writePageChanges(tx: EventTx, patches: readonly PageChange[]): Promise<void> {
  await writeChanges(
    tx,
    patches.map(({ page, actor, ...change }) => ({
      ...change,
      spaceId: page.spaceId,
      pageId: page.id,
      actorId: actor.id,
    })),
  )
  await recordEvents(
    tx,
    patches.map(({ page: { id, spaceId, path, title, version }, changes, actor, now }) => ({
      kind: 'page.metadata.updated',
      spaceId,
      pageId: id,
      actor,
      at: now,
      data: { path, title, version, changedKeys: changes.map(({ key }) => key) },
    })),
  )
}

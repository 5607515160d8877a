/** The change request that a folder follows: pulls show the space as that makes it, and pushes propose there. */
import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import type { Session } from './compare.ts'
import { computeSha256 } from './entry.ts'
import { lockFolder } from './lock.ts'
import { createService, findSpace } from './service.ts'
import { openState, type SyncConfig, statePaths, updateConfig } from './state.ts'

/** Lets a folder follow a change request. */
export function followRequest(session: Session, changeRequest: number): Session {
  const config = { ...session.config, changeRequest }
  updateConfig(session.root, config)
  return { ...session, config }
}

/**
 * Lets a folder whose change request has ended follow the space again. What was merged comes from the space; what was
 * not is a change of the folder again, based on the version that it was proposed for.
 */
export async function leaveEndedRequest(session: Session): Promise<Session> {
  const { changeRequest: number, ...config } = session.config
  if (number === undefined) return session
  const { client, root } = session
  const state = await readState(client, config.space, number)
  if (state === 'open') return session
  using _ = lockFolder(statePaths(root).lock)
  if (state !== 'merged') await takeBack(session, config, state === 'closed' ? number : undefined)
  updateConfig(root, config)
  return { ...session, config }
}

/** Undefined if it was deleted. */
async function readState(client: Client, space: string, number: number) {
  try {
    return (await client.changeRequests.get(space, number)).state
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404 && (await findSpace(client, space))
    if (!isGone) throw error
    return undefined
  }
}

/** Bases what the request had changed on the versions before; without one, the file is new. */
async function takeBack({ client, root, config: followedConfig }: Session, config: SyncConfig, number?: number) {
  const state = openState(root, followedConfig, () => {})
  const service = createService(client, config, () => {})
  const { items } = number === undefined ? { items: [] } : await client.changeRequests.changes(config.space, number)
  const changes = new Map(items.map((change) => [change.path, change]))
  for (const [key, entry] of [...state.entries]) {
    const change = changes.get(key)
    if (typeof entry.version === 'number' && !change) continue
    const path = change?.movedFrom ?? entry.path
    const version = change?.baseVersion ?? undefined
    const body = version === undefined ? undefined : await service.readVersion(path, version)
    const metadata = await service.metadata(path)
    if (!body || version === undefined) state.drop(key)
    else state.record({ ...entry, path, version, digest: computeSha256(body), ...(metadata && { metadata }) }, key)
  }
  // The next run lists all of the space.
  state.save({ position: undefined, pending: new Set(), listedAt: 0 })
}

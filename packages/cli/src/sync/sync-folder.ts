import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { type Client, createClient } from '@recto/client/client.ts'
import { proposalIn } from '../change-requests/request-name.ts'
import { type CommandCall, CommandError, DEFAULT_URL, EXIT, StateError, UsageError } from '../command.ts'
import { resolveConnection, type ServiceConnection } from '../connection.ts'
import type { Session } from '../folder-sync/compare.ts'
import { followRequest } from '../folder-sync/follow.ts'
import { findSpace } from '../folder-sync/service.ts'
import { createState, readConfig, STATE_FOLDER } from '../folder-sync/state.ts'
import { readStatus } from '../folder-sync/status.ts'
import { fileErrorText } from '../input.ts'

/** A connection that is silent is replaced, several times. */
const RETRIES = { timeout: 30_000, retryTimeout: 120_000 }

/** Makes a folder one of a space: nothing is pulled yet. */
export async function createSyncFolder(call: CommandCall): Promise<Session> {
  const { url, space, key } = cloneSource(call)
  const root = resolve(call.optional('folder') ?? basename(space))
  const outer = findRoot(root)
  if (outer !== undefined)
    throw new CommandError(
      outer === realpathIfPresent(root)
        ? `${root} is in sync with a space already: see \`recto status\``
        : `${root} is inside ${outer}, which is in sync with a space: its files would become pages of both`,
    )
  const client = createClient({ url, key, ...RETRIES })
  const foundSpace = await findSpace(client, space)
  if (!foundSpace) throw new StateError(EXIT.notFound, `${url} has no space ${space}, or it is not visible to this key`)
  const metadata = call.option('metadata') === 'front-matter' ? 'front-matter' : 'file'
  const changeRequest = call.number('change-request', 1)
  if (changeRequest !== undefined) await requireOpen(client, foundSpace.slug, changeRequest)
  const requestConfig = changeRequest === undefined ? {} : { changeRequest }
  const config = { url, space: foundSpace.slug, createdAt: foundSpace.createdAt, metadata, ...requestConfig } as const
  try {
    createState(root, config)
  } catch (error) {
    throw new CommandError(`${root} cannot be created: ${fileErrorText(error)}`)
  }
  return { root, config, client }
}

/** Throws unless the change request is open. */
async function requireOpen(client: Client, space: string, number: number): Promise<void> {
  const { state } = await client.changeRequests.get(space, number)
  if (state !== 'open') throw new StateError(EXIT.conflict, `the change request ${number} is ${state}`)
}

/** The folder with the change request of `--change-request`: that which it follows, one by number, or a new one. */
export async function openProposal(call: CommandCall, session: Session): Promise<Session> {
  const { changeRequest, title } = proposalIn(call)
  const { config, client } = session
  if (changeRequest === undefined) return session
  if (config.changeRequest !== undefined) {
    if (title !== undefined || Number(changeRequest) === config.changeRequest) return session
    throw new CommandError(`this folder follows the change request ${config.changeRequest}`)
  }
  if (title === undefined) {
    await requireOpen(client, config.space, Number(changeRequest))
    return followRequest(session, Number(changeRequest))
  }
  const { folder } = await readStatus(session, call.flag('full'))
  if (folder.length === 0) throw new CommandError('the folder has no changes to propose')
  return followRequest(session, (await client.changeRequests.create(config.space, { title })).number)
}

/** `https://host/space`, also with `/pages/` or `/spaces/` before the space, or the slug of a space. */
function cloneSource(call: CommandCall): ServiceConnection & { readonly space: string } {
  const source = call.arg('source')
  const { env } = call.terminal
  if (!source.includes('/')) return { ...resolveConnection({ env }), space: source }
  const sourceUrl = URL.parse(source)
  const [, base = '', space = ''] = /^(.*?)(?:\/pages|\/spaces)?\/([^/]+)\/?$/.exec(sourceUrl?.pathname ?? '') ?? []
  if (!sourceUrl || !['http:', 'https:'].includes(sourceUrl.protocol) || space === '') {
    throw new UsageError(`the source must be the slug of a space, or a URL such as ${DEFAULT_URL}/docs, not ${source}`)
  }
  const url = sourceUrl.origin + base
  // The tokens of a profile are for its service only.
  const connection = resolveConnection({ env: { ...env, RECTO_URL: url } })
  if (connection.url !== url) throw new UsageError(`the profile is of ${connection.url}, not of ${url}`)
  return { ...connection, space }
}

/** The folder that the command runs in, or the one of `--folder`. */
export function openSyncFolder(call: CommandCall): Session {
  const start = resolve(call.option('folder') ?? '.')
  const root = findRoot(start)
  const config = root === undefined ? undefined : readConfig(root)
  if (root === undefined || !config) throw new CommandError(`${start} is not in a folder that \`recto clone\` made`)
  const { url, key } = resolveConnection(call.terminal)
  // The configuration can come from a repository of others: the key is not sent wherever it says.
  if (url !== config.url) {
    throw new CommandError(
      `this folder is in sync with ${config.url}. To send your key there, set RECTO_URL=${config.url}`,
    )
  }
  return { root, config, client: createClient({ url, key, ...RETRIES }) }
}

function realpathIfPresent(path: string): string {
  return existsSync(path) ? realpathSync(path) : path
}

function findRoot(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, STATE_FOLDER, 'config.json'))) return realpathSync(folder)
    if (dirname(folder) === folder) return undefined
  }
}

/** Names relative to the folder, of files that are named relative to where the command runs. */
export function namesIn({ root }: Session, call: CommandCall, files: readonly string[]): string[] {
  const from = resolve(call.option('folder') ?? '.')
  return files.map((file) => {
    const name = relative(root, join(realpathSync(from), file))
    if (name.startsWith('..')) throw new UsageError(`${file} is not in the folder ${root}`)
    return name.split('\\').join('/')
  })
}

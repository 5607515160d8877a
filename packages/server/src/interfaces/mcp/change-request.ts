import { formatEtag } from '@recto/lib/network/header-values.ts'
import { Type } from 'typebox'
import type { Overlay } from '../../access/ctx.ts'
import { changeRequestUrl, requireProposer, toTag } from '../../access/overlay.ts'
import { withOverlay } from '../../access/overlay-routes.ts'
import type { Preconditions } from '../../access/preconditions.ts'
import { noteSources } from '../../content/change-requests/changes.ts'
import { orDiscardNew } from '../../content/change-requests/requests.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { findPage } from '../../content/pages/find.ts'
import type { Page } from '../../content/pages/page.ts'
import { line } from '../../platform/http/schemas.ts'
import { parseAddress } from './address.ts'
import { ifVersion, invalidArgument, versionArgument } from './arguments.ts'
import { listReads } from './session-reads.ts'

const NUMBER = '[1-9][0-9]{0,8}'

/** The arguments by which a tool reads through a change request, or proposes its write. */
export const CHANGE_REQUEST_ARGUMENTS = {
  read: { changeRequest: Type.Optional(Type.String({ pattern: `^${NUMBER}$` })) },
  propose: {
    changeRequest: Type.Optional(Type.String({ pattern: `^(?:new|${NUMBER})$` })),
    changeRequestTitle: Type.Optional(line({ minLength: 1, maxLength: 200 })),
  },
}

/** What `CHANGE_REQUEST_ARGUMENTS` are, and the arguments that name the space. */
export interface ProposalArguments {
  readonly changeRequest?: string | undefined
  readonly changeRequestTitle?: string | undefined
  readonly space?: string | undefined
  readonly path?: string | undefined
  readonly pages?: readonly string[] | undefined
  readonly dryRun?: boolean | undefined
}

/** The version of a draft that the caller read. */
export const draftArgument = Type.Optional(versionArgument)

/** A result of a tool in the change request of its arguments. */
interface Proposed<T> {
  readonly result: T
  /** Says what was proposed; absent for a read. */
  readonly note?: string
}

/** Runs a tool in the change request that its arguments name. A new one is opened by its first write. */
export async function runInChangeRequest<T>(
  ctx: PagesCtx,
  { session }: { readonly session: string },
  use: 'read' | 'propose',
  input: ProposalArguments,
  run: (ctx: PagesCtx) => Promise<T>,
): Promise<Proposed<T>> {
  const { changeRequest, changeRequestTitle: title = '', dryRun = false } = input
  if (changeRequest === undefined) return { result: await run(ctx) }
  const space = findSpace(ctx, input)
  if (use === 'propose') requireProposer(ctx.actor)
  const isNew = changeRequest === 'new'
  if (isNew && title.trim() === '') throw invalidArgument('changeRequestTitle', 'is required for a new change request')
  const overlay: Overlay = { space, ...(isNew ? { title: title.trim() } : { number: Number(changeRequest) }) }
  const overlaidCtx = await withOverlay(ctx, overlay)
  if (use === 'read' || dryRun) return { result: await run(overlaidCtx) }
  const result = await orDiscardNew(ctx, overlay, () => run(overlaidCtx))
  const { number } = overlay
  if (number === undefined) return { result }
  const logFailure = (error: unknown) => ctx.log.warn({ err: error }, 'the sources of a proposal were not stored')
  await noteSources(ctx, { space, number }, listReads(session)).catch(logFailure)
  const url = changeRequestUrl(ctx.config.publicUrl, space, number)
  return { result, note: `Proposed in change request ${number}, whose merge makes it: ${url}` }
}

/** The space of a change request: that of the first address. */
function findSpace({ config }: PagesCtx, { space, path, pages = [] }: ProposalArguments): string {
  const address = path ?? pages[0]
  if (space !== undefined) return space
  if (address === undefined) throw invalidArgument('space', 'is required with `changeRequest`')
  return parseAddress(address, config.publicUrl).space
}

/**
 * The precondition of a write that may be a proposal: the draft that the caller read, or the version of a page that the
 * change request does not change yet. `'*'` is what there is at this moment.
 */
export async function toPrecondition(
  ctx: PagesCtx,
  address: { readonly space: string; readonly path: string },
  { version, draft }: { readonly version?: number | undefined; readonly draft?: number | undefined },
  otherwise?: '*',
): Promise<Preconditions> {
  const { overlay } = ctx
  if (draft !== undefined) {
    if (overlay?.number === undefined) throw invalidArgument('draft', 'requires the number of a `changeRequest`')
    // The version next to it is what the text is based on by now.
    const versions = version === undefined ? [] : [version]
    return { ...ifVersion(undefined), ifMatch: [`draft-${overlay.number}-${draft}`, ...versions] }
  }
  if (version !== undefined || otherwise === undefined || !overlay) return ifVersion(version ?? otherwise)
  return { ...ifVersion(undefined), ifMatch: [toTag(await findPage(ctx, address, 'viewer'))] }
}

/** What a caller sends back with a write of the page. */
export function toState({ version, etag, draft }: Pick<Page, 'version' | 'etag' | 'draft'>) {
  return draft && etag !== formatEtag(version ?? 0) ? { version, draft: draft.version } : { version }
}

/** The same as text, such as `Version: 7`. */
export function stateText(page: Pick<Page, 'version' | 'etag' | 'draft'>): string {
  const { version, draft } = toState(page)
  return draft === undefined ? `Version: ${version}` : `Draft: ${draft}`
}

import { AppError, type Issue, inputError } from '@recto/contract/errors.ts'
import { checkNewPath, parseWrittenPath } from '@recto/contract/page-address.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { validatorCompiler } from '../../../platform/http/validation.ts'
import { checkInitial } from '../../metadata/metadata.ts'
import { parseInitial } from '../../metadata/parse-patch.ts'
import type { Operation } from '../../metadata/patch.ts'
import { keyProblem, unstorable } from '../../metadata/value.ts'
import {
  type BundleMetadataEvent,
  type BundlePage,
  type BundleRevision,
  type BundleThread,
  bundlePageSchema,
  threadsSchema,
} from './bundle.ts'
import type { RawPage } from './bundle-source.ts'

/** A valid page of an upload. */
export interface CheckedPage {
  readonly path: string
  readonly body: string
  /** Absent: existing metadata is kept. */
  readonly metadata?: readonly Operation[]
  /** Whether other existing metadata is kept, too. */
  readonly keepsOtherMetadata?: boolean
  readonly revisions?: readonly BundleRevision[]
  readonly metadataHistory?: readonly BundleMetadataEvent[]
  readonly threads?: readonly BundleThread[]
}

const where = { method: 'POST', url: '', httpPart: 'body' } as const
const validate = validatorCompiler({ schema: bundlePageSchema, ...where })
const validateThreads = validatorCompiler({ schema: threadsSchema, ...where })

type CheckDeps = Pick<Ctx, 'config'>

/** Validates a page: returns it, or its first issue. */
export function checkPage(ctx: CheckDeps, { at, value, keepsOtherMetadata = false }: RawPage): CheckedPage | Issue {
  if (!validate(value)) {
    const [error] = validate.errors ?? []
    return { path: at + (error?.instancePath ?? ''), message: error?.message ?? 'is not valid' }
  }
  const { body, metadata, revisions, metadataHistory, threads, ...page } = value as BundlePage // it was validated
  try {
    const path = parseWrittenPath(page.path)
    checkNewPath(path)
    const operations = metadata && parseInitial(metadata, `${at}/metadata`)
    if (operations) checkInitial(ctx, operations)
    return {
      path,
      body: checkBody(ctx, body, `${at}/body`),
      ...(operations && { metadata: operations, keepsOtherMetadata }),
      ...(revisions && { revisions: checkRevisions(ctx, revisions, at) }),
      ...checkMetadataHistory(metadataHistory, operations, `${at}/metadataHistory`),
      ...checkThreads(threads, `${at}/threads`),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const issue = error.extras.issues?.[0]
    return {
      path: issue?.path.startsWith('/') || issue?.path.startsWith(at) ? issue.path : at,
      message: issue?.message ?? error.message,
    }
  }
}

function checkBody(ctx: CheckDeps, body: string, path: string): string {
  const bytes = Buffer.byteLength(body)
  const { maxBodyBytes } = ctx.config
  if (body.includes('\0')) throw bundleError(path, 'contains a NUL character')
  if (bytes > maxBodyBytes) throw bundleError(path, `has ${bytes} bytes; the maximum is ${maxBodyBytes}`)
  return body
}

/** Versions are consecutive. Each revision has a body, except the latest, whose body is that of the page. */
function checkRevisions(ctx: CheckDeps, revisions: readonly BundleRevision[], at: string): readonly BundleRevision[] {
  const first = revisions[0]?.version ?? 1
  for (const [index, { version, createdAt, body, restoredFrom }] of revisions.entries()) {
    const path = `${at}/revisions/${index}`
    if (version !== first + index) throw bundleError(`${path}/version`, `must be ${first + index}`)
    if (Number.isNaN(Date.parse(createdAt))) throw bundleError(`${path}/createdAt`, 'must be a time')
    checkRevisionBody(ctx, body, { isLatest: index === revisions.length - 1, path: `${path}/body` })
    if (restoredFrom != null && !(restoredFrom >= first && restoredFrom < version)) {
      throw bundleError(`${path}/restoredFrom`, 'must be an earlier version')
    }
  }
  return revisions
}

/** What is wrong with a change of metadata that has some keys. */
function findEventProblem(
  { key, op, existed, previousValue, createdAt }: BundleMetadataEvent,
  keys: ReadonlySet<string>,
): string | undefined {
  if (Number.isNaN(Date.parse(createdAt))) return 'has a `createdAt` that is no time'
  if (existed !== keys.has(key) || (op === 'delete' && !existed)) return 'does not follow from the changes before it'
  return keyProblem(key) ?? unstorable(previousValue, '')?.message
}

/** The changes lead to the keys that the page has. */
function checkMetadataHistory(
  events: readonly BundleMetadataEvent[] | undefined,
  metadata: readonly Operation[] = [],
  at = '',
): Pick<CheckedPage, 'metadataHistory'> {
  if (!events) return {}
  const keys = new Set<string>()
  for (const [index, event] of events.entries()) {
    const problem = findEventProblem(event, keys)
    if (problem !== undefined) throw bundleError(`${at}/${index}`, problem)
    if (event.op === 'delete') keys.delete(event.key)
    else keys.add(event.key)
  }
  if (keys.size !== metadata.length || metadata.some(({ key }) => !keys.has(key))) {
    throw bundleError(at, 'does not lead to the metadata of the page')
  }
  return { metadataHistory: events }
}

function checkThreads(threads: readonly BundleThread[] | undefined, at: string): Pick<CheckedPage, 'threads'> {
  for (const [index, { createdAt, resolvedAt, comments }] of (threads ?? []).entries()) {
    const times = [createdAt, resolvedAt, ...comments.flatMap((comment) => [comment.createdAt, comment.editedAt])]
    const isTime = (time: string | undefined) => time === undefined || !Number.isNaN(Date.parse(time))
    if (!times.every(isTime)) throw bundleError(`${at}/${index}`, 'has what is no time')
  }
  return threads ? { threads } : {}
}

/** The threads of a file; throws `invalid_bundle` for others. */
export function checkFileThreads(threads: unknown, at: string): readonly BundleThread[] {
  if (threads === undefined) return []
  if (!validateThreads(threads)) {
    const [error] = validateThreads.errors ?? []
    throw bundleError(`${at}/threads${error?.instancePath ?? ''}`, error?.message ?? 'is not valid')
  }
  return checkThreads(threads as BundleThread[], `${at}/threads`).threads ?? [] // it was validated
}

function checkRevisionBody(
  ctx: CheckDeps,
  body: string | undefined,
  { isLatest, path }: { readonly isLatest: boolean; readonly path: string },
): void {
  if (body === undefined && !isLatest) throw bundleError(path, 'is required')
  if (body === undefined) return
  if (isLatest) throw bundleError(path, 'must be omitted: it is the body of the page')
  checkBody(ctx, body, path)
}

function bundleError(path: string, message: string): AppError {
  return inputError('invalid_bundle', message, path, message)
}

import { AppError, type Issue, inputError } from '@recto/contract/errors.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import type { Operation } from './patch.ts'
import { keyProblem, unstorable } from './value.ts'

type Members = Readonly<Record<string, unknown>>

/** The body of a patch: each member is an object of key to operand. */
export interface PatchBody {
  readonly set?: Members
  readonly append?: Members
  readonly appendUnique?: Members
}

const OPS = ['set', 'append', 'appendUnique'] as const

/** Parses the operations of a patch; rejects an empty one, a key named twice, and a value that cannot be stored. */
export function parsePatch(body: PatchBody): Operation[] {
  rejectTooMany(OPS.reduce((sum, op) => sum + Object.keys(body[op] ?? {}).length, 0))
  const issues: Issue[] = []
  const pointers = new Map<string, string>()
  const operations: Operation[] = []
  for (const op of OPS) {
    for (const [key, operand] of Object.entries(body[op] ?? {})) {
      const path = pointerTo(`/${op}`, key)
      const issue = findProblem(path, key, operand) ?? namedTwice(path, pointers.get(key))
      if (issue) issues.push(issue)
      pointers.set(key, op)
      operations.push(op === 'set' && operand === null ? { op: 'delete', key, path } : { op, key, operand, path })
    }
  }
  if (operations.length === 0) issues.push({ path: '', message: `must name a key in ${OPS.join(', ')}` })
  if (issues.length > 0) throw invalid('The patch', issues)
  return operations
}

/** Parses the operations of a JSON Merge Patch (RFC 7396) of the values by key; an empty one changes nothing. */
export function parseMergePatch(patch: Members): Operation[] {
  const members = checkedMembers(patch, '', 'The patch')
  return members.map(([key, operand, path]) =>
    operand === null ? { op: 'delete', key, path } : { op: 'merge', key, operand, path },
  )
}

/** The operations that set the metadata of a new page; a null omits its key. `pointer` is its place in the request. */
export function parseInitial(metadata: Members, pointer: string): Operation[] {
  return checkedMembers(metadata, pointer, 'The metadata')
    .filter(([, value]) => value !== null)
    .map(([key, operand, path]) => ({ op: 'set', key, operand, path }))
}

/** Each key and value with its place in the request. */
function checkedMembers(values: Members, pointer: string, what: string) {
  rejectTooMany(Object.keys(values).length)
  const members = Object.entries(values).map(([key, value]) => [key, value, pointerTo(pointer, key)] as const)
  const issues = members.flatMap(([key, value, path]) => findProblem(path, key, value) ?? [])
  if (issues.length > 0) throw invalid(what, issues)
  return members
}

/** Counted before the keys are checked: no page can have more than these, whichever the patch deletes and sets. */
const MAX_NAMED = 1000

function rejectTooMany(count: number): void {
  if (count <= MAX_NAMED) return
  const message = `must name at most ${MAX_NAMED} keys`
  const detail = `${count} keys are named: at most ${MAX_NAMED} at once. Nothing was changed.`
  throw inputError('payload_too_large', detail, '', message)
}

function findProblem(path: string, key: string, value: unknown): Issue | undefined {
  const problem = keyProblem(key)
  return problem === undefined ? unstorable(value, path) : { path, message: problem }
}

function namedTwice(path: string, member: string | undefined): Issue | undefined {
  return member === undefined ? undefined : { path, message: `must not name a key that \`${member}\` names too` }
}

function invalid(what: string, issues: readonly Issue[]): AppError {
  const first = issues[0]
  return new AppError('invalid_request', `${what} is not valid: ${first?.path || '/'} ${first?.message}.`, { issues })
}

import { AppError } from '@recto/contract/errors.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, type TObject, Type } from 'typebox'
import type { Scope } from '../../access/caller.ts'
import type { MoveDeps } from '../../content/lifecycle/attend-move.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import type { SearchDeps } from '../../content/search/search.ts'
import { maskForVisitor, omitPeople, requireAccount } from '../../identity/principals/visitors.ts'
import { toIssues } from '../../platform/http/problems/validation-issues.ts'
import { strictObject, TEXT_FORMATS } from '../../platform/http/schemas.ts'
import { spaceIn } from './address.ts'
import { CHANGE_REQUEST_ARGUMENTS, type ProposalArguments, runInChangeRequest } from './change-request.ts'
import { coerced } from './coerce.ts'
import { listedSchema } from './listed-schema.ts'
import type { Part, ToolResult } from './tool-result.ts'

/** The dependencies of tools, besides the context of the caller. */
export interface ToolDeps extends MoveDeps {
  readonly search: SearchDeps
  /** Counts the writes of a call beyond the first for the rate limit; throws `too_many_requests`. */
  readonly countFurther: (writes: number) => Promise<void>
  /** Names the session of the caller; of a client without sessions, the caller. */
  readonly session: string
}

interface ToolParts<Input extends TObject> {
  readonly name: `context_${string}`
  readonly title: string
  readonly description: string
  /** The scope that the key needs. */
  readonly scope: Scope
  /** Whether it reads through a change request, or proposes its write there. */
  readonly changeRequest?: 'read' | 'propose'
  /** Callers without an account read public spaces by it, with these arguments alone. */
  readonly visitors?: readonly (keyof Static<Input> & string)[]
  /** False for a tool that writes without loss; absent for others. */
  readonly destructive?: false
  readonly input: Input
  /** The schema in `tools/list`, if `input` has alternatives that some clients do not support. */
  readonly shown?: TObject
  run(ctx: PagesCtx, input: Static<Input>, deps: ToolDeps): Promise<ToolResult<object>>
}

/** A use case as an MCP tool. */
export interface Tool {
  readonly name: string
  readonly scope: Scope
  /** Whether a caller who may only propose can use it. */
  readonly proposes: boolean
  /** The arguments for callers without an account, if they may use it. */
  readonly visitors: readonly string[] | undefined
  /**
   * Its entry in `tools/list`; for a caller who may only propose, `changeRequest` is required, and for one without an
   * account only some arguments are there.
   */
  describe(use: ToolUse): Readonly<Record<string, unknown>>
  /** Validates the arguments (`invalid_request`) and runs the use case. */
  call(ctx: PagesCtx, args: unknown, deps: ToolDeps): Promise<ToolAnswer>
}

/** How a caller may use a tool. */
type ToolUse = 'write' | 'propose' | 'visit'

/** What a client gets: the text of each block. */
interface ToolAnswer extends Omit<ToolResult<object | undefined>, 'text'> {
  readonly text: readonly string[]
}

const ajv = new Ajv({
  useDefaults: true,
  allErrors: true,
  strict: false,
  discriminator: true,
  verbose: true,
  formats: TEXT_FORMATS,
  // The schemas are typed. To compile the meta-schema that would check them takes longer than all of them.
  meta: false,
  validateSchema: false,
})

/** Every tool has it, and the instructions name it: results have structured content only if it is asked for. */
const FORMAT = Type.Optional(Type.String({ enum: ['detailed'] }))

/**
 * Defines a tool. The schema is compiled by the first call: compiling all of them at import would block the event loop.
 */
export function defineTool<Input extends TObject>(parts: ToolParts<Input>): Tool {
  const { name, title, scope, changeRequest: use, visitors, destructive = true } = parts
  const withCommon = ({ properties }: TObject) =>
    strictObject({ ...properties, ...(use && CHANGE_REQUEST_ARGUMENTS[use]) })
  const withFormat = (input: TObject) => strictObject({ ...withCommon(input).properties, format: FORMAT })
  const listedInput = withCommon(parts.shown ?? parts.input)
  const shownInput = withFormat(listedInput)
  const proposedInput = { ...listedInput, required: [...(listedInput.required ?? []), 'changeRequest'] }
  const proposes = use === 'propose'
  const isForVisitors = (name: string) => name === 'format' || (visitors ?? []).some((argument) => argument === name)
  const visitedInput = {
    ...listedInput,
    properties: Object.fromEntries(Object.entries(listedInput.properties).filter(([name]) => isForVisitors(name))),
  }
  const inputs = { write: listedInput, propose: proposes ? proposedInput : listedInput, visit: visitedInput }
  let validate: ValidateFunction<Static<Input>> | undefined
  return {
    name,
    scope,
    proposes,
    visitors,
    describe: (toolUse) => ({
      name,
      description: parts.description,
      inputSchema: listedSchema(inputs[toolUse]),
      annotations: scope === 'read' ? { title, readOnlyHint: true } : { title, destructiveHint: destructive },
    }),
    async call(ctx, args, deps) {
      const input = coerced(shownInput, args ?? {})
      if (!Object.keys(Object(input)).every(isForVisitors)) requireAccount(ctx)
      validate ??= ajv.compile<Static<Input>>(withFormat(parts.input))
      if (validate(input)) {
        const { format, changeRequest, changeRequestTitle, ...rest } = input as Static<Input> & CommonArguments
        const proposal = { ...rest, changeRequest, changeRequestTitle }
        const run = (runCtx: PagesCtx) => parts.run(runCtx, rest as Static<Input>, deps)
        const rejectMasked = async (error: unknown) => {
          throw await maskForVisitor(ctx, error, findSpace(rest))
        }
        const { result, note } = await runInChangeRequest(ctx, deps, use ?? 'read', proposal, run).catch(rejectMasked)
        const { data, text, ...image } = result
        const blocks = note === undefined ? text : [note, ...text]
        const detail = ctx.actor.visitor === undefined ? data : Object(omitPeople(data))
        return { data: format === 'detailed' ? detail : undefined, text: blocks.map(blockText), ...image }
      }
      throw invalidArguments(validate)
    },
  }
}

/** The space that the arguments of a call name. */
function findSpace({ space, path, pages = [] }: ProposalArguments): string | undefined {
  const address = path ?? pages[0]
  return space ?? (address === undefined ? undefined : spaceIn(address))
}

interface CommonArguments extends ProposalArguments {
  readonly format?: string
}

/** Every text of a tool passes here: no name, title or path of a user makes a line of its own. */
function blockText(block: ToolResult<unknown>['text'][number]): string {
  const parts: readonly Part[] = [block].flat()
  return parts.map((part) => (typeof part === 'string' ? showLine(part) : part.content)).join('\n')
}

function invalidArguments({ errors }: ValidateFunction): AppError {
  const issues = toIssues(errors ?? [])
  const text = issues.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')
  return new AppError('invalid_request', `The arguments are not valid: ${text}.`, { issues })
}

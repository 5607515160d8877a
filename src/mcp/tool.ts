import { Ajv, type ValidateFunction } from 'ajv'
import type { Static, TObject, TSchema } from 'typebox'
import type { Ctx } from '../access/ctx.ts'
import { AppError } from '../errors.ts'
import { issuesOf } from '../http/validation-issues.ts'
import type { SearchDeps } from '../search/search.ts'

/** What tools need beside the context of the caller. */
export interface ToolDeps {
  readonly search: SearchDeps
}

/** What a tool answers: data for programs, and the same for readers, in one or more pieces. */
export interface ToolResult<T> {
  readonly data: T
  readonly text: readonly string[]
}

interface ToolParts<Input extends TObject, Output extends TSchema> {
  readonly name: `context_${string}`
  readonly title: string
  readonly description: string
  /** The scope that a key needs for it. */
  readonly scope: 'read' | 'write'
  /** What a changing tool may do; reading ones do none of it. */
  readonly hints?: { readonly destructive: boolean; readonly idempotent: boolean }
  readonly input: Input
  readonly output: Output
  run(ctx: Ctx, input: Static<Input>, means: ToolDeps): Promise<ToolResult<Static<Output>>>
}

/** A use case as agents call it. */
export interface Tool {
  readonly name: string
  readonly scope: 'read' | 'write'
  /** As `tools/list` tells of it. */
  readonly description: Readonly<Record<string, unknown>>
  /** Checks the arguments, refuses with `invalid_request`, and runs it. */
  call(ctx: Ctx, args: unknown, means: ToolDeps): Promise<ToolResult<unknown>>
}

const ajv = new Ajv({ useDefaults: true, allErrors: true, strict: false, discriminator: true, verbose: true })

/** Makes a tool of a use case. */
export function defineTool<Input extends TObject, Output extends TSchema>(
  parts: ToolParts<Input, Output>,
): Tool {
  const { name, title, scope, hints } = parts
  const validate = ajv.compile<Static<Input>>(parts.input)
  return {
    name,
    scope,
    description: {
      name,
      title,
      description: parts.description,
      inputSchema: parts.input,
      outputSchema: parts.output,
      annotations: {
        title,
        readOnlyHint: scope === 'read',
        destructiveHint: hints?.destructive ?? false,
        idempotentHint: hints?.idempotent ?? true,
        openWorldHint: false,
      },
    },
    async call(ctx, args, means) {
      const input: unknown = args ?? {}
      if (validate(input)) return parts.run(ctx, input, means)
      throw invalidArguments(validate)
    },
  }
}

function invalidArguments({ errors }: ValidateFunction): AppError {
  const issues = issuesOf(errors ?? [])
  const said = issues.map(({ path, message }) => `${path || '/'} ${message}`).join('; ')
  return new AppError('invalid_request', `The arguments are not valid: ${said}.`, { issues })
}

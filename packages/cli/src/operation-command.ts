import type { CommandCall } from './command.ts'
import type { AnyRow, OperationId, OperationRow } from './operation-row.ts'
import { type CommandSpec, JSON_OPTION, LIST_OPTIONS } from './spec.ts'

/** Declares a command. Arguments and options are matched with parameters and members by their names. */
export function operationCommand<Id extends OperationId>(
  name: string,
  summary: string,
  operation: Id | ((call: CommandCall) => Id),
  row: OperationRow<Id>,
): CommandSpec {
  const { columns, none, text, secret, members, exit, values, plain, examples, options, ...spec } = row
  const common = columns ? LIST_OPTIONS : plain ? {} : JSON_OPTION
  return {
    ...spec,
    name,
    summary,
    options: { ...options, ...common },
    examples: examples.map(([line, what = '']) => [line, what] as const),
    run: async (call) => (await import('./run-operation.ts')).runOperation(call, operation, row as unknown as AnyRow),
  }
}

import { COMMANDS } from '@recto/cli/commands.ts'
import { isGroup, optionRows, sentence, synopsis, written } from '@recto/cli/help.ts'
import type { CommandSpec } from '@recto/cli/spec.ts'

/** The reference of all commands in Markdown: the generated part of docs/cli.md. */
export function commandReference(): string {
  return (COMMANDS.commands ?? []).flatMap((spec) => sections([], spec, 2)).join('\n\n')
}

function sections(before: readonly string[], spec: CommandSpec, level: number): string[] {
  if (spec.hidden || spec.name === 'help') return []
  const names = [...before, spec.name]
  const rows = [
    ...(spec.arguments ?? []).map((argument) => [written(argument), argument.summary] as const),
    ...optionRows(spec.options ?? {}),
  ]
  const examples = (spec.examples ?? []).map(([line, what]) => `recto ${line}${what ? `   # ${what}` : ''}`)
  return [
    `${'#'.repeat(level)} recto ${names.join(' ')}`,
    sentence(spec.summary) + (spec.about ? ` ${spec.about}` : ''),
    ...(isGroup(spec) ? [] : [`    ${synopsis(names, spec).replace('usage: ', '')}`]),
    ...(rows.length > 0
      ? [
          [
            '| | |',
            '| --- | --- |',
            ...rows.map(([left, right]) => `| \`${cell(left)}\` | ${cell(right).replaceAll('<', '&lt;')} |`),
          ].join('\n'),
        ]
      : []),
    ...(spec.exits ? [`Exit code: ${spec.exits}`] : []),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``] : []),
    ...(spec.commands ?? []).flatMap((command) => sections(names, command, level + 1)),
  ]
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

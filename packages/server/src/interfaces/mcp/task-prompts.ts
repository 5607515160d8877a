import type { GetPromptResult } from '@modelcontextprotocol/server'
import { AppError, inputError } from '@recto/contract/errors.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import type { Tool, ToolDeps } from './tool.ts'
import { listPages } from './tools/find-pages.ts'
import { getChanges } from './tools/get-changes.ts'
import { listReports } from './tools/reports.ts'
import { listSpaces } from './tools/spaces.ts'

type Arguments = Readonly<Record<string, string>>

/** A task that people often give to an assistant: its words, and the result of the tool with which it begins. */
interface TaskPrompt {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Whether callers without an account may use all that it needs. */
  readonly isForVisitors?: true
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  text(input: Arguments): string
  first(input: Arguments, now: Date): { readonly tool: Tool; readonly args: object }
}

const WEEK_MS = 7 * 24 * 3600_000
const MAX_NOTE = 4_000
const space = { name: 'space', description: 'Slug of a space.', required: true }
const anySpace = { ...space, description: 'Slug of a space; all spaces without it.', required: false }

export const TASK_PROMPTS: readonly TaskPrompt[] = [
  {
    name: 'summarize_space',
    title: 'Summarise a space',
    description: 'What a space is about, its topics, and where to begin.',
    isForVisitors: true,
    arguments: [space],
    text: (input) =>
      `Summarise the space \`${input.space}\` for somebody who is new to it: ` +
      `what it is for, its topics, where to begin, and what seems to be out of date or missing. ` +
      `Read the pages that matter with context_get_pages, outlines first. Name pages as \`space/path\`. ` +
      `These are its pages:`,
    first: (input) => ({ tool: listPages, args: { space: input.space, limit: 200 } }),
  },
  {
    name: 'mend_links',
    title: 'Mend broken links',
    description: 'Finds out what the broken links of a space should point to, and corrects them.',
    arguments: [space],
    text: (input) =>
      `Mend the broken links of the space \`${input.space}\`. ` +
      `For each missing target look for the page that was meant with context_find and context_search. ` +
      `If it is clear, correct the link with context_edit_page (\`replace\`); otherwise ask me. ` +
      `List what you changed and what is left. These are the broken links:`,
    first: (input) => ({ tool: listReports, args: { space: input.space, report: 'broken', limit: 100 } }),
  },
  {
    name: 'weekly_changes',
    title: 'Report on the changes of the week',
    description: 'What changed in the last seven days, by topic.',
    arguments: [anySpace],
    text: () =>
      'Report on what changed in the last seven days, by topic and the most important first; name the people. ' +
      'See what changed in a page with context_compare where its name does not tell. Name pages as `space/path`. ' +
      'These are the changes:',
    first: ({ space }, now) => {
      const since = new Date(now.getTime() - WEEK_MS).toISOString()
      return { tool: getChanges, args: { since, limit: 200, ...(space !== undefined && { space }) } }
    },
  },
  {
    name: 'file_note',
    title: 'File this note',
    description: 'Finds the right place for a note, and writes it there.',
    arguments: [{ name: 'note', description: 'The text to file.', required: true }, anySpace],
    text: ({ note, space }) =>
      `File this note where people will look for it:\n\n${note}\n\nSearch with context_search for a page that it ` +
      `belongs to${space === undefined ? '' : ` in the space \`${space}\``}. ` +
      `If there is one, add the note with context_edit_page (\`appendToSection\` or \`append\`) ` +
      `in the style of the page; otherwise create a page with context_write_page. Do not write it twice, and tell ` +
      `me where it is. ${space === undefined ? 'These are the spaces:' : 'These are the pages of the space:'}`,
    first: ({ space }) =>
      space === undefined
        ? { tool: listSpaces, args: { limit: 200 } }
        : { tool: listPages, args: { space, limit: 200 } },
  },
]

export function findTask(name: string): TaskPrompt | undefined {
  return TASK_PROMPTS.find((task) => task.name === name)
}

/** The error for a name that is neither a task nor a template. */
export function promptNotFound(name: string): AppError {
  const detail = `Prompt \`${name}\` does not exist. List the prompts with prompts/list.`
  return new AppError('template_not_found', detail)
}

/** The messages of a task. Its tool checks the rights of the caller. */
export async function getTaskPrompt(
  ctx: PagesCtx,
  task: TaskPrompt,
  args: Arguments,
  deps: ToolDeps,
): Promise<GetPromptResult> {
  checkArguments(task, args)
  const { tool, args: toolArgs } = task.first(args, ctx.now())
  const { text } = await tool.call(ctx, toolArgs, deps)
  return {
    description: task.description,
    messages: [{ role: 'user', content: { type: 'text', text: `${task.text(args)}\n\n${text.join('\n')}` } }],
  }
}

function checkArguments(task: TaskPrompt, args: Arguments): void {
  const names = task.arguments.map(({ name }) => name)
  const unknownName = Object.keys(args).find((name) => !names.includes(name))
  if (unknownName !== undefined) throw invalid(unknownName, `is not an argument: ${names.join(', ')} are`)
  const missing = task.arguments.find(({ name, required }) => required && (args[name] ?? '').trim() === '')
  if (missing) throw invalid(missing.name, 'is required')
  if ((args.note?.length ?? 0) > MAX_NOTE) throw invalid('note', `must have at most ${MAX_NOTE} characters`)
}

function invalid(argument: string, message: string): AppError {
  const detail = `The argument \`${argument.slice(0, 50)}\` ${message}.`
  return inputError('invalid_request', detail, `/${argument}`, message)
}

import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server'
import { parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import { jsonLine, showLine } from '@recto/lib/text/single-line.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { fillTemplate } from '../../content/pages/templates/fill.ts'
import { pageTemplates } from '../../content/pages/templates/page-template.ts'
import type { PageTemplate } from '../../content/pages/templates/schema.ts'
import { requireAccount } from '../../identity/principals/visitors.ts'
import { fittingPage, MAX_CONTENT, truncate } from './bounds.ts'
import { findTask, getTaskPrompt, promptNotFound, TASK_PROMPTS } from './task-prompts.ts'
import type { ToolDeps } from './tool.ts'

const PAGE_SIZE = 50
const MAX_TEXT = 500
/** Template variables with default values. */
const OPTIONAL = new Set(['title', 'date', 'author'])
/** The argument that is not a variable of the template. */
const PATH = 'path'

/** Lists the prompts for tasks, and the page templates that the caller can read as prompts. */
export async function listPrompts(ctx: Ctx, cursor: string | undefined): Promise<ListPromptsResult> {
  if (ctx.actor.visitor !== undefined) {
    return { prompts: TASK_PROMPTS.filter(({ isForVisitors }) => isForVisitors).map(toTaskPrompt) }
  }
  const { items, nextCursor } = await fittingPage({ limit: PAGE_SIZE, cursor }, async (paging) => {
    const list = await pageTemplates(ctx, paging)
    return { ...list, items: list.items.map(toPrompt) }
  })
  const tasks = cursor === undefined ? TASK_PROMPTS : []
  return { prompts: [...tasks.map(toTaskPrompt), ...items], ...(nextCursor !== null && { nextCursor }) }
}

function toTaskPrompt({ name, title, description, arguments: args }: (typeof TASK_PROMPTS)[number]) {
  return { name, title, description, arguments: [...args] }
}

/** The prompt of a task, or of a template. */
export async function getPrompt(
  ctx: PagesCtx,
  name: string,
  args: Readonly<Record<string, string>>,
  deps: ToolDeps,
): Promise<GetPromptResult> {
  const task = findTask(name)
  if (!task?.isForVisitors) requireAccount(ctx)
  return task ? getTaskPrompt(ctx, task, args, deps) : getTemplatePrompt(ctx, name, args)
}

/** Fills a template, and asks the agent to complete and write the page. */
async function getTemplatePrompt(
  ctx: PagesCtx,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { [PATH]: requestedPath, ...variables } = args
  const [slug = '', ...rest] = name.split('/')
  if (rest.length === 0) throw promptNotFound(name)
  const space = parseSlug(slug)
  const template = rest.join('/')
  const path = parseWrittenPath(requestedPath ?? `new-${template.split('/').at(-1) ?? 'page'}`)
  const { body, metadata } = await fillTemplate(ctx, { space, path, template, variables, metadata: undefined })
  const location = requestedPath === undefined ? 'a suitable path' : `the path \`${path}\``
  const task = showLine(
    `Write a new page in the space \`${space}\` at ${location}, from the template \`${name}\`. ` +
      `Complete the text, ask the user for missing facts, and save the page with context_write_page.`,
  )
  const defaults =
    Object.keys(metadata).length > 0 ? `\n\nSet this metadata: ${truncate(jsonLine(metadata), MAX_TEXT * 4)}` : ''
  const text = truncate(body, MAX_CONTENT)
  return {
    description: showLine(`A new page from the template ${name}`),
    messages: [
      { role: 'user', content: { type: 'text', text: `${task}${defaults}\n\nStart from this text:\n\n${text}` } },
    ],
  }
}

function toPrompt({ space, name, title, description, variables }: PageTemplate) {
  const requiredNames = variables.filter((variable) => !OPTIONAL.has(variable))
  return {
    name: `${space}/${name}`,
    title: truncate(showLine(title), MAX_TEXT),
    ...(description !== null && { description: truncate(showLine(description), MAX_TEXT) }),
    arguments: [
      { name: PATH, description: 'Path of the new page, such as `decisions/use-x`.', required: false },
      ...requiredNames.filter((variable) => variable !== PATH).map((variable) => ({ name: variable, required: true })),
      ...variables
        .filter((variable) => OPTIONAL.has(variable))
        .map((variable) => ({ name: variable, required: false })),
    ],
  }
}

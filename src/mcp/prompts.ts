import type { GetPromptResult, ListPromptsResult } from '@modelcontextprotocol/server'
import type { Ctx } from '../access/ctx.ts'
import { AppError } from '../errors.ts'
import { parsePagePath, parseSlug, splitMarkdownSuffix } from '../http/page-address.ts'
import { fillTemplate } from '../templates/fill.ts'
import { pageTemplates } from '../templates/page-template.ts'
import type { PageTemplate } from '../templates/schema.ts'
import { fittingPage, MAX_CONTENT, truncate } from './bounds.ts'

const LISTED = 50
const MAX_WORDS = 500
/** Variables that have values anyway. */
const OWN = new Set(['title', 'date', 'author'])
/** The argument that is none of the template's own. */
const PATH = 'path'

/** The page templates that the caller can read. */
export async function listPrompts(ctx: Ctx, cursor: string | undefined): Promise<ListPromptsResult> {
  const { items, nextCursor } = await fittingPage(LISTED, async (limit) => {
    const list = await pageTemplates(ctx, { limit, ...(cursor !== undefined && { cursor }) })
    return { ...list, items: list.items.map(toPrompt) }
  })
  return { prompts: items, ...(nextCursor !== null && { nextCursor }) }
}

/** A template with values for its variables, as the beginning of a page that an agent is to finish and write. */
export async function getPrompt(
  ctx: Ctx,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<GetPromptResult> {
  const { [PATH]: asked, ...variables } = args
  const [slug = '', ...rest] = name.split('/')
  if (rest.length === 0) throw noPrompt(name)
  const space = parseSlug(slug)
  const template = rest.join('/')
  const path = parsePagePath(splitMarkdownSuffix(asked ?? `new-${template.split('/').at(-1) ?? 'page'}`).path)
  const { body, metadata } = await fillTemplate(ctx, {
    space,
    path,
    template,
    variables,
    metadata: undefined,
  })
  const place = asked === undefined ? 'a path that fits' : `the path \`${path}\``
  const task = `Write a new page in the space \`${space}\` at ${place}, from the template \`${name}\`. Finish the text, ask for what you do not know, and save it with context_write_page.`
  const defaults =
    Object.keys(metadata).length > 0
      ? `\n\nGive it this metadata: ${truncate(JSON.stringify(metadata), MAX_WORDS * 4)}`
      : ''
  const text = truncate(body, MAX_CONTENT)
  return {
    description: `A new page from the template ${name}`,
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${task}${defaults}\n\nThe page begins as:\n\n${text}` },
      },
    ],
  }
}

function toPrompt({ space, name, title, description, variables }: PageTemplate) {
  const own = variables.filter((variable) => !OWN.has(variable))
  return {
    name: `${space}/${name}`,
    title: truncate(title, MAX_WORDS),
    ...(description !== null && { description: truncate(description, MAX_WORDS) }),
    arguments: [
      { name: PATH, description: 'Path of the page to be made, such as `decisions/use-x`.', required: false },
      ...own.filter((variable) => variable !== PATH).map((variable) => ({ name: variable, required: true })),
      ...variables
        .filter((variable) => OWN.has(variable))
        .map((variable) => ({ name: variable, required: false })),
    ],
  }
}

function noPrompt(name: string): AppError {
  return new AppError(
    'template_not_found',
    `There is no prompt \`${name}\`: prompts/list tells what there is.`,
  )
}

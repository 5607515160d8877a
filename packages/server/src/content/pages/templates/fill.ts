import { AppError, type Issue, inputError } from '@recto/contract/errors.ts'
import { isSlug, type PageAddress, parseWrittenPath } from '@recto/contract/page-address.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import { splitFrontMatter } from '@recto/markdown/front-matter.ts'
import type { Actor } from '../../../access/caller.ts'
import { TEMPLATE_FOLDER } from '../../../access/template-folder.ts'
import type { PagesCtx } from '../ctx.ts'
import { type PageRevision, readPage } from '../read.ts'
import { metadataDefaults, templateText } from './page-template.ts'
import { fillVariables, variablesIn } from './variables.ts'

const MAX_VARIABLES = 100
const MAX_VALUE_LENGTH = 64 * 1024
/** Variables with default values. */
const DEFAULTED: ReadonlySet<string> = new Set(['title', 'date', 'author'])

/** The input of a `PUT` with `template`, with the address of the new page. */
interface TemplateUse extends PageAddress {
  readonly template: string
  readonly variables: Readonly<Record<string, unknown>> | undefined
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** The content of the new page. */
interface FilledTemplate {
  readonly body: string
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Fills the latest revision of a template: body and metadata of a new page. `{{title}}`, `{{date}}` and `{{author}}`
 * have defaults. A variable without a value, or a value without a variable, is rejected.
 */
export async function fillTemplate(ctx: PagesCtx, use: TemplateUse): Promise<FilledTemplate> {
  const template = await findTemplate(ctx, use)
  const source = template.content.body.toString('utf8')
  const content = templateText(source)
  const values = new Map([...defaultValues(ctx.actor, ctx.now(), use.path), ...givenValues(use.variables ?? {})])
  rejectMismatch(variablesIn(content), values, use)
  const body = fillVariables(content, values, ctx.config.maxBodyBytes)
  if (body === undefined) {
    const detail = `The template with these values exceeds the maximum of ${ctx.config.maxBodyBytes} bytes for a page.`
    throw new AppError('payload_too_large', detail)
  }
  return { body, metadata: { ...metadataDefaults(splitFrontMatter(source).data), ...use.metadata } }
}

/** The last segment of a path as words: `short-true-sentence` is "Short true sentence". Dates keep their hyphens. */
function readableTitle(path: string): string {
  const segment = path.split('/').at(-1) ?? path
  const [, date = '', rest = segment] = /^(\d{4}-\d\d-\d\d)(?:[-_ ]+|$)(.*)$/su.exec(segment) ?? []
  const words = rest.replace(/[-_\s]+/gu, ' ').trim()
  const [first = '', ...others] = words
  const title = first.toLocaleUpperCase('en') + others.join('')
  return [date, title].filter((part) => part !== '').join(' ') || segment
}

/** Looks for a template of the same space first, then for `space/name`. */
async function findTemplate(ctx: PagesCtx, use: TemplateUse): Promise<PageRevision> {
  for (const address of candidates(use)) {
    try {
      return await readPage(ctx, address)
    } catch (error) {
      if (!(error instanceof AppError && ['not_found', 'page_deleted'].includes(error.code))) throw error
    }
  }
  const detail = `Page template \`${use.template}\` was not found.`
  throw inputError('template_not_found', detail, '/template', 'is not a page template that you can read')
}

function candidates({ space, template }: TemplateUse): PageAddress[] {
  const [first = '', ...rest] = template.split('/')
  const addresses = [{ space, path: TEMPLATE_FOLDER + template }]
  if (rest.length > 0 && isSlug(first)) addresses.push({ space: first, path: TEMPLATE_FOLDER + rest.join('/') })
  return addresses.flatMap((address) => {
    try {
      return [{ space: address.space, path: parseWrittenPath(address.path) }]
    } catch {
      return []
    }
  })
}

function defaultValues(actor: Actor, now: Date, path: string): [string, string][] {
  return [
    ['title', readableTitle(path)],
    ['date', now.toISOString().slice(0, 10)],
    ['author', actor.name],
  ]
}

function givenValues(variables: Readonly<Record<string, unknown>>): [string, string][] {
  const entries = Object.entries(variables)
  const issues: Issue[] = []
  if (entries.length > MAX_VARIABLES) {
    issues.push({ path: '/variables', message: `must not have more than ${MAX_VARIABLES} members` })
  }
  const values = entries.map(([name, value]): [string, string] => {
    const simple = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (!simple)
      issues.push({ path: pointerTo('/variables', name), message: 'must be a string, a number or a boolean' })
    const text = simple ? String(value) : ''
    if (text.length > MAX_VALUE_LENGTH || text.includes('\0')) {
      issues.push({
        path: pointerTo('/variables', name),
        message: 'must be shorter than 64 KiB, without NUL characters',
      })
    }
    return [name, text]
  })
  if (issues.length > 0) throw templateError('The variables are not valid.', issues)
  return values
}

function rejectMismatch(
  names: readonly string[],
  values: ReadonlyMap<string, string>,
  { template, variables = {} }: TemplateUse,
): void {
  const missing = names.filter((name) => !values.has(name))
  const unknownVariables = Object.keys(variables).filter((name) => !names.includes(name) && !DEFAULTED.has(name))
  if (missing.length + unknownVariables.length === 0) return
  const problems = [
    missing.length > 0 ? `requires ${list(missing)}` : '',
    unknownVariables.length > 0 ? `has no ${list(unknownVariables)}` : '',
  ].filter((part) => part !== '')
  throw templateError(`The template \`${template}\` ${problems.join(' and ')}.`, [
    ...missing.map((name) => ({ path: pointerTo('/variables', name), message: 'is required' })),
    ...unknownVariables.map((name) => ({
      path: pointerTo('/variables', name),
      message: 'is not a variable of this template',
    })),
  ])
}

function templateError(detail: string, issues: readonly Issue[]): AppError {
  return new AppError('invalid_variables', detail, { issues })
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

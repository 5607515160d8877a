import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { rankOf } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { AppError } from '../../errors.ts'
import { parsePagePath, parseSlug, splitMarkdownSuffix } from '../../http/page-address.ts'
import type { Server } from '../../http/server.ts'
import { text } from '../../http/text.ts'
import { pathName } from '../../lib/path-name.ts'
import { contentOf } from '../../pages/content.ts'
import { previewPage } from '../../pages/preview.ts'
import { writePage } from '../../pages/write.ts'
import { spacesOf } from '../../spaces/space.ts'
import { fillTemplate } from '../../templates/fill.ts'
import { pageTemplates } from '../../templates/page-template.ts'
import type { PageTemplate } from '../../templates/schema.ts'
import { editUrl, pageUrl } from '../addresses.ts'
import { textOfForm } from '../edit/form-text.ts'
import { seeOther } from '../fields.ts'
import { csrfField, pageFormBytes } from '../forms.ts'
import type { Fields } from '../screen.ts'
import { sendDocument } from '../screen.ts'
import { chooseSpaceDocument, type NewPageView, newPageDocument, templateId } from './new-page-view.ts'

const hide = true
const params = Type.Object({ slug: Type.String() })
const query = Type.Object(
  {
    path: Type.Optional(text({ maxLength: 1024 })),
    parent: Type.Optional(text({ maxLength: 1024 })),
    title: Type.Optional(text({ maxLength: 200 })),
    template: Type.Optional(text({ maxLength: 1200 })),
  },
  { additionalProperties: false },
)
/** Variables are fields named `variables.<name>`. */
const form = Type.Object(
  {
    title: Type.String({ maxLength: 200 }),
    path: Type.Optional(Type.String({ maxLength: 1024 })),
    parent: Type.Optional(Type.String({ maxLength: 1024 })),
    template: Type.Optional(Type.String({ maxLength: 1200 })),
    body: Type.Optional(Type.String()),
    action: Type.Optional(Type.Literal('preview')),
  },
  { additionalProperties: Type.String() },
)
const VARIABLE = 'variables.'
/** What the form can mend. */
const MENDABLE = new Set<string>([
  'invalid_request',
  'invalid_path',
  'invalid_body',
  'invalid_variables',
  'payload_too_large',
  'template_not_found',
  'precondition_failed',
  'markdown_too_complex',
  'markdown_busy',
])

/** Making a page. */
export async function createRoutes(app: Server, options: { readonly maxBodyBytes: number }): Promise<void> {
  app.get('/new', { schema: { hide } }, async (request, reply) => {
    const { items } = await spacesOf(request.ctx, { limit: 200 })
    const open = items.filter(({ role }) => rankOf(role) >= rankOf('editor'))
    return sendDocument(reply, chooseSpaceDocument(open))
  })

  app.get('/new/:slug', { schema: { hide, params, querystring: query } }, async (request, reply) => {
    const { path = '', parent = '', title = '', template } = request.query
    return show(request, reply, { path, parent, title, wanted: template })
  })

  app.post(
    '/new/:slug',
    { bodyLimit: pageFormBytes(options), schema: { hide, params, body: form } },
    async (request, reply) => {
      const { ctx, body: fields } = request
      const slug = parseSlug(request.params.slug)
      const body = textOfForm(fields.body ?? '', undefined)
      const typed = { ...fields, wanted: fields.template, text: body, variables: variablesOf(fields) }
      try {
        const path = pathOf(fields)
        if (fields.action === 'preview') {
          const { html: preview } = await previewPage(ctx, { space: slug, path, body })
          return await show(request, reply, { ...typed, preview })
        }
        const address = { space: slug, path }
        const content = await contentOf(ctx, address, await inputOf(ctx, typed, fields.title), fillTemplate)
        const ifNoneMatch = '*' as const
        await writePage(ctx, {
          ...address,
          ...content,
          note: undefined,
          preconditions: { ifMatch: undefined, ifNoneMatch, required: true },
        })
        const made = fields.template === undefined ? pageUrl(slug, path) : editUrl(slug, path)
        return seeOther(reply, made)
      } catch (error) {
        if (!(error instanceof AppError && MENDABLE.has(error.code))) throw error
        return await show(request, reply.code(400), { ...typed, refusal: taken(error) })
      }
    },
  )
}

interface Typed {
  readonly path?: string | undefined
  readonly parent?: string | undefined
  readonly title: string
  /** The template that was chosen, by its space and name. */
  readonly wanted?: string | undefined
  readonly text?: string
  readonly variables?: ReadonlyMap<string, string>
  readonly preview?: string
  readonly refusal?: AppError
}

/** What the page is made of: the template with its variables, or the text, which gets the title that it does not say. */
async function inputOf(ctx: Ctx, typed: Typed, title: string) {
  const { wanted, text: body = '', variables = new Map() } = typed
  if (wanted !== undefined) {
    return { template: wanted, variables: { ...Object.fromEntries(variables), title } }
  }
  const facts = await ctx.markdown.analyse(body)
  const heading = `# ${title.replace(/\s+/g, ' ').trim()}\n`
  return { body: facts.title === title.trim() ? body : body.trim() === '' ? heading : `${heading}\n${body}` }
}

function variablesOf(fields: Readonly<Record<string, string>>): Map<string, string> {
  const given = Object.entries(fields).filter(([name]) => name.startsWith(VARIABLE))
  return new Map(given.map(([name, value]) => [name.slice(VARIABLE.length), value]))
}

/** The path that was typed, else one that follows from the title. */
function pathOf({ path = '', parent = '', title }: Typed): string {
  const typed = path.trim().replace(/^\/+/, '')
  if (typed !== '' && !typed.endsWith('/')) return parsePagePath(splitMarkdownSuffix(typed).path)
  const name = pathName(title)
  if (name === '') {
    throw new AppError(
      'invalid_path',
      'The title has no letters or digits to build a path from. Enter a path.',
      {
        issues: [{ path: '/path', message: 'cannot be made from the title' }],
      },
    )
  }
  const folder = typed === '' ? parent : typed
  return parsePagePath([folder.replace(/^\/+|\/+$/g, ''), name].filter((part) => part !== '').join('/'))
}

/** That another page stands there is a matter of the path, to who fills in the form. */
function taken(error: AppError): AppError {
  if (error.code === 'invalid_path') {
    return new AppError(error.code, error.message, { issues: [{ path: '/path', message: error.message }] })
  }
  if (error.code !== 'precondition_failed') return error
  return new AppError('page_exists', 'A page with this path already exists. Choose another path.', {
    issues: [{ path: '/path', message: 'is taken' }],
  })
}

async function show(
  request: FastifyRequest<{ Params: { slug: string } }>,
  reply: FastifyReply,
  typed: Typed,
): Promise<FastifyReply> {
  const { ctx } = request
  const space = await requireSpace(ctx, parseSlug(request.params.slug), 'editor')
  const { items } = await pageTemplates(ctx, { limit: 200 })
  // Those of the space itself first.
  const templates = [...items].sort((a, b) => Number(b.space === space.slug) - Number(a.space === space.slug))
  const template = templates.find((each) => named(each, space.slug, typed.wanted))
  const nonce = randomBytes(16).toString('base64url')
  reply.documentPolicy = { styleNonce: nonce }
  const view: NewPageView = {
    space,
    title: typed.title,
    path: typed.path ?? '',
    parent: typed.parent || template?.pathPrefix || '',
    text: typed.text ?? '',
    templates,
    template,
    variables: typed.variables ?? new Map(),
    preview: typed.preview,
    attempt: typed.refusal && { fields: request.body as Fields, error: typed.refusal },
    actorId: ctx.actor.id,
    csrf: csrfField(request),
    nonce,
  }
  return sendDocument(reply, newPageDocument(view))
}

function named(template: PageTemplate, space: string, wanted: string | undefined): boolean {
  return templateId(template) === wanted || (template.space === space && template.name === wanted)
}

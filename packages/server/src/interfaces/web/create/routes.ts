import { randomBytes } from 'node:crypto'
import { type AppError, inputError } from '@recto/contract/errors.ts'
import { parseSlug, parseWrittenPath } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { newPagePath } from '@recto/lib/text/new-page-path.ts'
import { type Static, Type } from 'typebox'
import { toRank } from '../../../access/caller.ts'
import { requireWriter } from '../../../access/space.ts'
import { readContent } from '../../../content/pages/content.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { previewPage } from '../../../content/pages/preview.ts'
import { pageTemplates } from '../../../content/pages/templates/page-template.ts'
import type { PageTemplate } from '../../../content/pages/templates/schema.ts'
import { discardUnsaved, findOwnUnsaved } from '../../../content/pages/unsaved/unsaved.ts'
import { writePage } from '../../../content/pages/write.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { textOfForm } from '../edit/form-text.ts'
import { pageFormBytes } from '../forms.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { editUrl, SUGGESTION } from '../urls.ts'
import { chooseSpaceScreen, newPageScreen, templateId } from './new-page-view.ts'

const query = strictObject({
  path: Type.Optional(text({ maxLength: 1024 })),
  parent: Type.Optional(text({ maxLength: 1024 })),
  title: Type.Optional(text({ maxLength: 200 })),
  template: Type.Optional(text({ maxLength: 1200 })),
})
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

/** Creating a page, empty or from a template. */
export const createRoutes = registerRoutes<{ readonly maxBodyBytes: number }>(
  screenRoute('/new', {
    query: strictObject({ cursor: pagingParameters.cursor, name: Type.Optional(text({ maxLength: 200 })) }),
    view: async ({ ctx, query }) => {
      const spaces = await listVisibleSpaces(ctx, { limit: 200, ...query })
      const items = spaces.items.filter(({ role }) => toRank(role) >= toRank('editor'))
      return chooseSpaceScreen({ ...query, spaces: { ...spaces, items } })
    },
  }),

  screenRoute('/new/:slug', {
    query,
    view: async ({ ctx, params, query }) => {
      const ownText = await findOwnUnsaved(ctx, { space: parseSlug(params.slug) })
      return newPage(ctx, params.slug, { title: '', ...query, unsavedAt: ownText?.savedAt })
    },
  }),

  formRoute('/new/:slug', {
    body: form,
    bodyLimit: pageFormBytes,
    suggests: SUGGESTION,
    act: async (request) => {
      const { ctx } = request
      const typedForm = typedIn(request.body)
      const address = { space: parseSlug(request.params.slug), path: choosePath(typedForm) }
      if (request.body.action === 'preview') {
        const { html: preview } = await previewPage(ctx, { ...address, body: typedForm.text })
        return newPage(ctx, request.params.slug, { ...typedForm, preview })
      }
      const content = await readContent(ctx, address, await readInput(ctx, typedForm))
      const preconditions = { ifMatch: undefined, ifNoneMatch: '*', required: true } as const
      await writePage(ctx, { ...address, ...content, note: undefined, preconditions })
      if (typedForm.template === undefined) await discardUnsaved(ctx, { space: address.space })
      const toUrl = typedForm.template === undefined ? pageUrl : editUrl
      return toUrl(address.space, address.path)
    },
    view: ({ ctx, params, body }, { fields, error }) =>
      newPage(ctx, params.slug, { ...typedIn(body), failed: { fields, error: pathError(error) } }),
  }),
)

interface Typed {
  readonly path?: string | undefined
  readonly parent?: string | undefined
  readonly title: string
  /** The chosen template, by its space and name. */
  readonly template?: string | undefined
  readonly text?: string
  readonly variables?: ReadonlyMap<string, string>
}

function typedIn(fields: Static<typeof form>) {
  const text = textOfForm(fields.body ?? '', undefined)
  return { ...fields, text, variables: readVariables(fields) }
}

/** The content of the page: the template with its variables, or the text, under the title if it does not have it. */
async function readInput(ctx: PagesCtx, { title, template, text: body = '', variables = new Map() }: Typed) {
  if (template !== undefined) return { template, variables: { ...Object.fromEntries(variables), title } }
  const facts = await ctx.pages.markdown.analyse(body)
  const heading = `# ${title.replace(/\s+/g, ' ').trim()}\n`
  return { body: facts.title === title.trim() ? body : body.trim() === '' ? heading : `${heading}\n${body}` }
}

function readVariables(fields: Readonly<Record<string, string>>): Map<string, string> {
  const variableFields = Object.entries(fields).filter(([name]) => name.startsWith(VARIABLE))
  return new Map(variableFields.map(([name, value]) => [name.slice(VARIABLE.length), value]))
}

/** The typed path, or one derived from the title. */
function choosePath(typedForm: Typed): string {
  const path = newPagePath(typedForm)
  if (path !== undefined) return parseWrittenPath(path)
  const detail = 'The title has no letters or digits to build a path from. Enter a path.'
  throw inputError('invalid_path', detail, '/path', 'cannot be made from the title')
}

/** The same error as one of the field `path`, if it is about the path. */
function pathError(error: AppError): AppError {
  const { code, message } = error
  if (code === 'invalid_path') return inputError(code, message, '/path', message)
  if (code !== 'precondition_failed') return error
  const detail = 'A page with this path already exists. Choose another path.'
  return inputError('page_exists', detail, '/path', 'is already in use')
}

/** The form for a new page of a space. */
export async function newPage(
  ctx: PagesCtx,
  slug: string,
  typedPage: Typed & {
    readonly preview?: string
    readonly failed?: FailedForm
    readonly unsavedAt?: string | undefined
  },
): Promise<Screen> {
  const space = await requireWriter(ctx, parseSlug(slug))
  const { items } = await pageTemplates(ctx, { limit: 200 })
  // Those of the space itself first.
  const templates = [...items].sort((a, b) => Number(b.space === space.slug) - Number(a.space === space.slug))
  const template = templates.find((each) => isNamed(each, space.slug, typedPage.template))
  return newPageScreen({
    space,
    title: typedPage.title,
    path: typedPage.path ?? '',
    parent: typedPage.parent || template?.pathPrefix || '',
    text: typedPage.text ?? '',
    templates,
    template,
    variables: typedPage.variables ?? new Map(),
    preview: typedPage.preview,
    unsavedAt: typedPage.unsavedAt,
    failed: typedPage.failed,
    actorId: ctx.actor.id,
    maxFileBytes: ctx.config.maxFileBytes,
    nonce: randomBytes(16).toString('base64url'),
  })
}

function isNamed(template: PageTemplate, space: string, name: string | undefined): boolean {
  return templateId(template) === name || (template.space === space && template.name === name)
}

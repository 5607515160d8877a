import { pageMarkdownUrl } from '@recto/contract/page-url.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import type { Ctx } from '../../access/ctx.ts'
import { recentPages } from '../../content/pages/list.ts'
import { listVisibleSpaces } from '../../content/spaces/space.ts'
import { SIGN_IN_QUERY } from '../../identity/oauth/scopes.ts'
import type { Server } from '../../platform/http/server.ts'
import { truncate } from './bounds.ts'

const MAX_LISTED = 100
const MAX_NAME = 200

/**
 * `/llms.txt` (llmstxt.org): what the service is and how programs read it, for everybody; with a credential also the
 * spaces and the latest pages of its caller, without one those that are public.
 */
export async function llmsRoutes(app: Server, options: { readonly origin: () => string }): Promise<void> {
  const config = { optionalCredential: true, visitors: [] }
  app.get('/llms.txt', { config, schema: { hide: true } }, async (request, reply) => {
    // Without a credential there is no context.
    const ctx = request.ctx as Ctx | undefined
    const own = ctx ? await ownSections(ctx) : ANONYMOUS
    return reply
      .header('Vary', 'Authorization, Cookie')
      .header('Cache-Control', 'private, no-cache')
      .type('text/plain; charset=utf-8')
      .send(`${introduction(options.origin(), ctx?.actor.visitor !== undefined)}\n${own}`)
  })
}

function introduction(origin: string, isVisitor: boolean): string {
  const visit = `; without either it reads the public spaces, and ${origin}/mcp${SIGN_IN_QUERY} asks to sign in`
  return `# Recto

> A workspace of Markdown pages for people and agents. Pages live in spaces, and have revisions, metadata and links.

- MCP: connect to ${origin}/mcp with OAuth or an API key. \
It has tools to search, read and edit${isVisitor ? visit : ''}.
- HTTP: send \`Authorization: Bearer <key>\`. The URL of a page with \`.md\` returns its Markdown; \
with \`?format=md\` the page and all below it, as one document.

## Docs

- [API reference](${origin}/docs)
- [OpenAPI document](${origin}/openapi.json)
- [OAuth metadata of MCP](${origin}/.well-known/oauth-protected-resource/mcp)
`
}

const ANONYMOUS = 'Send a credential with this request to list the spaces and pages that you can read.\n'

async function ownSections(ctx: Ctx): Promise<string> {
  const { publicUrl } = ctx.config
  const spaces = await listVisibleSpaces(ctx, { limit: MAX_LISTED })
  const pages = await recentPages(ctx, { limit: MAX_LISTED })
  const spaceLines = spaces.items.map(({ slug, name, description }) =>
    line(name, `${publicUrl}/spaces/${slug}/pages?format=md`, description),
  )
  const pageLines = pages.items.map(({ space, path, title }) =>
    line(title, publicUrl + pageMarkdownUrl(space, path), `${space}/${path}`),
  )
  const more = spaces.nextCursor === null ? [] : [`- [More spaces](${publicUrl}/spaces)`]
  return [...section('Spaces', [...spaceLines, ...more]), ...section('Latest pages', pageLines)].join('\n')
}

function section(title: string, lines: readonly string[]): string[] {
  return [`## ${title}`, '', ...(lines.length === 0 ? ['None yet.'] : lines), '']
}

function line(name: string, url: string, about: string): string {
  const description = oneLine(about)
  return `- [${oneLine(name).replace(/[[\]]/g, '')}](${url})${description === '' ? '' : `: ${description}`}`
}

function oneLine(text: string): string {
  return truncate(showLine(text), MAX_NAME)
}

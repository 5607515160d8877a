import { Type } from 'typebox'
import { listOf } from '../../http/paging.ts'
import { pageTemplates } from '../../templates/page-template.ts'
import type { PageTemplate } from '../../templates/schema.ts'
import { argumentsOf, listArguments, more, spaceArgument, spaceFilter } from '../arguments.ts'
import { fittingPage, textSize, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

const item = Type.Object({
  space: Type.String(),
  path: Type.String(),
  name: Type.String({ description: 'Send it as `template` to context_write_page.' }),
  title: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  pathPrefix: Type.Union([Type.String(), Type.Null()], {
    description: 'Where pages made from it usually stand.',
  }),
  version: Type.Integer(),
  variables: Type.Array(Type.String(), {
    description: 'What `variables` must give values to, but for `title`, `date` and `author`.',
  }),
  metadataDefaults: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    description: 'The metadata that a page made from it begins with.',
  }),
})

/** What of a template is shown: an answer holds several. */
const MAX_WORDS = 500
const MAX_DEFAULTS = 4_000
const MAX_VARIABLES = 100

export const listTemplates = defineTool({
  name: 'context_list_templates',
  title: 'List page templates',
  description:
    'Lists the page templates that you can read. Make a page from one with context_write_page: `template` is its `name`, or `space/name` from another space, and `variables` gives values by name. The text of a template is a page: read it with context_get_page.',
  scope: 'read',
  input: argumentsOf({ space: Type.Optional(spaceArgument), ...listArguments }),
  output: listOf(item),
  async run(ctx, { space, limit = 50, cursor }) {
    const { items, nextCursor } = await fittingPage(limit, async (wanted) => {
      const list = await pageTemplates(ctx, {
        limit: wanted,
        ...spaceFilter(space),
        ...(cursor !== undefined && { cursor }),
      })
      return { ...list, items: list.items.map(toItem) }
    })
    const lines = items.map(
      ({ space: home, name, title, description, variables }) =>
        `${home}/${name}: ${title}${description === null ? '' : ` - ${description}`}${variables.length > 0 ? ` (variables: ${variables.join(', ')})` : ''}`,
    )
    return { data: { items, nextCursor }, text: [[...lines, more(nextCursor)].join('\n')] }
  },
})

function toItem({ description, pathPrefix, variables, metadataDefaults, ...template }: PageTemplate) {
  const { space, path, name, title, version } = template
  return {
    ...{ space, path, name, title, version },
    description: description === null ? null : truncate(description, MAX_WORDS),
    pathPrefix: pathPrefix === null ? null : truncate(pathPrefix, MAX_WORDS),
    variables: variables.slice(0, MAX_VARIABLES).map((variable) => truncate(variable, 100)),
    metadataDefaults: textSize(metadataDefaults) > MAX_DEFAULTS ? {} : metadataDefaults,
  }
}

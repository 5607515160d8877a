import { Type } from 'typebox'
import { pageTemplates } from '../../../content/pages/templates/page-template.ts'
import type { PageTemplate } from '../../../content/pages/templates/schema.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { listArguments, listResult, spaceArgument, spaceFilter } from '../arguments.ts'
import { fittingPage, textSize, truncate } from '../bounds.ts'
import { defineTool } from '../tool.ts'

/** Limits of one template in a list, in characters and variables. */
const MAX_TEXT = 500
const MAX_DEFAULTS = 4_000
const MAX_VARIABLES = 100

export const listTemplates = defineTool({
  name: 'context_list_templates',
  title: 'List page templates',
  description: 'Lists page templates, for `template` of context_write_page.',
  scope: 'read',
  input: strictObject({ space: Type.Optional(spaceArgument), ...listArguments }),
  async run(ctx, { space, ...input }) {
    const templates = await fittingPage(input, async (paging) => {
      const list = await pageTemplates(ctx, { ...paging, ...spaceFilter(space) })
      return { ...list, items: list.items.map(toItem) }
    })
    return listResult(
      templates,
      ({ space: templateSpace, name, title, description, variables }) =>
        `${templateSpace}/${name}: ` +
        `${title}${description === null ? '' : ` - ${description}`}` +
        (variables.length > 0 ? ` (variables: ${variables.join(', ')})` : ''),
      'Templates are the pages below `templates/` of a space.',
    )
  },
})

function toItem({ description, pathPrefix, variables, metadataDefaults, ...template }: PageTemplate) {
  const { space, path, name, title, version } = template
  return {
    ...{ space, path, name, title, version },
    description: description === null ? null : truncate(description, MAX_TEXT),
    pathPrefix: pathPrefix === null ? null : truncate(pathPrefix, MAX_TEXT),
    variables: variables.slice(0, MAX_VARIABLES).map((variable) => truncate(variable, 100)),
    metadataDefaults: textSize(metadataDefaults) > MAX_DEFAULTS ? {} : metadataDefaults,
  }
}

import { FILTER_OPS_TEXT, PAGE_FIELD_NAMES } from '@recto/contract/filter-ops.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { enumSchema, listSchema, pagingParameters, strictObject, text } from '../../platform/http/schemas.ts'
import { metadataKeys } from './keys.ts'
import { foundPageSchema, keyUseSchema, valueUseSchema } from './schema.ts'
import { searchMetadata } from './search.ts'
import { VALUE_ORDER } from './sort-key.ts'
import { metadataValues } from './values.ts'
import { warningsSchema } from './warnings.ts'

const { endpoint } = declareEndpoints('Metadata')
const space = Type.Optional(spaceParameter)
const withSlug = <Q extends { readonly space?: string }>({ space: slug, ...query }: Q) => ({
  ...query,
  ...(slug !== undefined && { space: parseSlug(slug) }),
})

/** Queries by metadata. */
export const metadataSearchRoutes = registerRoutes(
  endpoint({
    route: 'GET /search/metadata',
    operationId: 'metadata.search',
    summary: 'Find pages by their metadata',
    description:
      `Pages that you can read and that meet every filter. Order of values: ${VALUE_ORDER}. ` +
      `Pages without the key come last in both directions, ties by space and path.`,
    querystring: strictObject({
      ...pagingParameters,
      filters: Type.Optional(
        Type.String({
          description:
            `A JSON array of at most 20 objects with key (or field), ` +
            `op and value (schema MetadataFilter). The value of the key is: ${FILTER_OPS_TEXT}`,
        }),
      ),
      orderBy: Type.Optional(text({ description: 'The key by whose values the pages are sorted.' })),
      orderByField: Type.Optional(enumSchema(PAGE_FIELD_NAMES, 'The field of the page in place of a key.')),
      order: Type.Optional(enumSchema(['asc', 'desc'])),
      sort: Type.Optional(
        Type.Array(Type.String(), {
          description:
            'In place of these up to 3 orders: JSON like `{ "key": "due", "order": "desc" }`, or with `field`.',
        }),
      ),
      space,
      timeZone: Type.Optional(
        text({ maxLength: 64, description: 'The IANA time zone that decides which day is `today`; UTC if absent.' }),
      ),
      templates: Type.Optional(
        Type.Boolean({ description: 'Whether page templates are included; they are if absent.' }),
      ),
      includeMetadata: Type.Optional(Type.Boolean({ description: 'Whether each item includes its `metadata`.' })),
    }),
    response: { 200: Type.Object({ ...listSchema(foundPageSchema).properties, warnings: warningsSchema }) },
    handler: ({ ctx, query }) => searchMetadata(ctx, withSlug(query)),
  }),
  endpoint({
    route: 'GET /search/metadata/keys',
    operationId: 'metadata.keys',
    summary: 'List the metadata keys in use, the most used first',
    querystring: strictObject({
      ...pagingParameters,
      space,
      prefix: Type.Optional(text({ maxLength: 128, description: 'Only keys with this prefix.' })),
    }),
    response: { 200: listSchema(keyUseSchema) },
    handler: ({ ctx, query }) => metadataKeys(ctx, withSlug(query)),
  }),
  endpoint({
    route: 'GET /search/metadata/values',
    operationId: 'metadata.values',
    summary: 'List the values of a metadata key',
    description:
      `The different JSON values of the key on pages that you can read, each with the number of pages. ` +
      `Order: ${VALUE_ORDER}.`,
    querystring: strictObject({ ...pagingParameters, key: text({ description: 'The metadata key.' }), space }),
    response: { 200: listSchema(valueUseSchema) },
    handler: ({ ctx, query }) => metadataValues(ctx, withSlug(query)),
  }),
)

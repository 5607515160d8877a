import { jsonBody, read, requestJson } from './json.ts'
import { type ListCall, type Listing, listing } from './paging.ts'
import { type CallOptions, type Connection, send } from './request.ts'
import type {
  CreatedSpace,
  NewSpace,
  PageTemplate,
  Snapshot,
  SpaceTemplate,
  SpaceTemplateItem,
  TemplateSource,
} from './types.ts'

/** Templates of pages and of spaces. */
export interface TemplateMethods {
  listTemplates(
    options?: ListCall & {
      readonly space?: string | undefined
      readonly includeContent?: boolean | undefined
    },
  ): Listing<PageTemplate>
  listSpaceTemplates(
    options?: ListCall & { readonly source?: TemplateSource | undefined },
  ): Listing<SpaceTemplateItem>
  getSpaceTemplate(source: TemplateSource, id: string, call?: CallOptions): Promise<SpaceTemplate>
  /** Makes a space with all pages of a template, or nothing. */
  createSpaceFromTemplate(
    source: TemplateSource,
    id: string,
    space: NewSpace,
    call?: CallOptions,
  ): Promise<CreatedSpace>
  /** Keeps a space as a template of the organisation; the same id replaces. For organisation admins. */
  storeSpaceTemplate(snapshot: Snapshot, call?: CallOptions): Promise<SpaceTemplateItem>
  /** Removes a template of the organisation; for its admins. */
  deleteSpaceTemplate(id: string, call?: CallOptions): Promise<void>
}

/** The methods of templates. */
export function templateMethods(connection: Connection): TemplateMethods {
  const at = (source: TemplateSource, id: string) =>
    `/space-templates/${encodeURIComponent(source)}/${encodeURIComponent(id)}`
  return {
    listTemplates: (options = {}) => listing(connection, '/templates', { ...options }),
    listSpaceTemplates: (options = {}) => listing(connection, '/space-templates', { ...options }),

    getSpaceTemplate: (source, id, { signal } = {}) =>
      requestJson(connection, { ...read, target: at(source, id), signal }),

    createSpaceFromTemplate: (source, id, space, { signal } = {}) =>
      requestJson(connection, {
        method: 'POST',
        target: `${at(source, id)}/spaces`,
        ...jsonBody(space),
        signal,
      }),

    storeSpaceTemplate: (snapshot, { signal } = {}) =>
      requestJson(connection, {
        method: 'POST',
        target: '/space-templates/org',
        ...jsonBody(snapshot),
        signal,
      }),

    async deleteSpaceTemplate(id, { signal } = {}) {
      await send(connection, { method: 'DELETE', target: at('org', id), signal })
    },
  }
}

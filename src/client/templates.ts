import { route } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
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
  /** Creates a space with all pages of a template, or nothing. */
  createSpaceFromTemplate(
    source: TemplateSource,
    id: string,
    space: NewSpace,
    call?: CallOptions,
  ): Promise<CreatedSpace>
  /** Saves a space as a template of the organisation, replacing one with the same id. For organisation admins. */
  storeSpaceTemplate(snapshot: Snapshot, call?: CallOptions): Promise<SpaceTemplateItem>
  /** Deletes a template of the organisation. For organisation admins. */
  deleteSpaceTemplate(id: string, call?: CallOptions): Promise<void>
}

/** The methods of templates. */
export function templateMethods(connection: Connection): TemplateMethods {
  const api = jsonApi(connection)
  return {
    listTemplates: (options) => api.list('/templates', options),
    listSpaceTemplates: (options) => api.list('/space-templates', options),
    getSpaceTemplate: (source, id, call) => api.get(route`/space-templates/${source}/${id}`, call),
    createSpaceFromTemplate: (source, id, space, call) =>
      api.post(route`/space-templates/${source}/${id}/spaces`, space, call),
    storeSpaceTemplate: (snapshot, call) => api.post('/space-templates/org', snapshot, call),
    deleteSpaceTemplate: (id, call) => api.delete(route`/space-templates/org/${id}`, call),
  }
}

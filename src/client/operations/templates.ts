import { route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type {
  CreatedSpace,
  NewSpace,
  PageTemplate,
  Snapshot,
  SpaceTemplate,
  SpaceTemplateItem,
  TemplateSource,
} from '../types.ts'

/** Page templates. */
export interface TemplateMethods {
  list(
    options?: ListCall & {
      readonly space?: string | undefined
      readonly includeContent?: boolean | undefined
    },
  ): Listing<PageTemplate>
}

/** Space templates. */
export interface SpaceTemplateMethods {
  list(options?: ListCall & { readonly source?: TemplateSource | undefined }): Listing<SpaceTemplateItem>
  get(source: TemplateSource, id: string, call?: CallOptions): Promise<SpaceTemplate>
  /** Creates a space with all pages of a template, or nothing. */
  createSpace(source: TemplateSource, id: string, space: NewSpace, call?: CallOptions): Promise<CreatedSpace>
  /** Saves a space as a template of the organisation, replacing one with the same id. For organisation admins. */
  create(snapshot: Snapshot, call?: CallOptions): Promise<SpaceTemplateItem>
  /** Deletes a template of the organisation. For organisation admins. */
  delete(id: string, call?: CallOptions): Promise<void>
}

/** The methods of page templates. */
export function templateMethods(connection: Connection): TemplateMethods {
  return { list: (options) => jsonApi(connection).list('/templates', options) }
}

/** The methods of space templates. */
export function spaceTemplateMethods(connection: Connection): SpaceTemplateMethods {
  const api = jsonApi(connection)
  return {
    list: (options) => api.list('/space-templates', options),
    get: (source, id, call) => api.get(route`/space-templates/${source}/${id}`, call),
    createSpace: (source, id, space, call) =>
      api.post(route`/space-templates/${source}/${id}/spaces`, space, call),
    create: (snapshot, call) => api.post('/space-templates/org', snapshot, call),
    delete: (id, call) => api.delete(route`/space-templates/org/${id}`, call),
  }
}

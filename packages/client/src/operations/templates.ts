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
export function templateMethods(connection: Connection) {
  return {
    list: (
      options?: ListCall & {
        readonly space?: string | undefined
        readonly includeContent?: boolean | undefined
      },
    ): Listing<PageTemplate> => jsonApi(connection).list('/templates', options),
  }
}

/** Space templates. */
export function spaceTemplateMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    list: (
      options?: ListCall & { readonly source?: TemplateSource | undefined },
    ): Listing<SpaceTemplateItem> => api.list('/space-templates', options),
    get: (source: TemplateSource, id: string, call?: CallOptions): Promise<SpaceTemplate> =>
      api.get(route`/space-templates/${source}/${id}`, call),
    /** Creates a space with all pages of a template, or nothing. */
    createSpace: (
      source: TemplateSource,
      id: string,
      space: NewSpace,
      call?: CallOptions,
    ): Promise<CreatedSpace> => api.post(route`/space-templates/${source}/${id}/spaces`, space, call),
    /** Saves a space as a template of the organisation, replacing one with the same id. For organisation admins. */
    create: (snapshot: Snapshot, call?: CallOptions): Promise<SpaceTemplateItem> =>
      api.post('/space-templates/org', snapshot, call),
    /** Deletes a template of the organisation. For organisation admins. */
    delete: (id: string, call?: CallOptions): Promise<void> =>
      api.delete(route`/space-templates/org/${id}`, call),
  }
}

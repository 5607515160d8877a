import { Type } from 'typebox'
import { findPerson } from '../../../content/spaces/members.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { avatar } from '../avatar.ts'
import { html, t } from '../html.ts'
import { actorName } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { FIND, withQuery } from '../urls.ts'

/** The card of a person or an agent, to which a mention links. */
export const personRoutes = registerRoutes(
  screenRoute('/people/:id', {
    params: Type.Object({ id: Type.String() }),
    view: async ({ ctx, params }) => {
      const person = await findPerson(ctx, params.id)
      const pages = withQuery(FIND, { q: `by:"${person.name.replaceAll('"', ' ')}"` })
      return {
        title: person.name,
        crumbs: [{ text: person.name }],
        heading: html`${avatar(person)} ${actorName(person)}`,
        main: html`<p><a href="${pages}">${t('Pages that {name} changed last', { name: person.name })}</a></p>`,
      }
    },
  }),
)

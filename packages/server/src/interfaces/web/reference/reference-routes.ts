import { AppError } from '@recto/contract/errors.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { screenRoute } from '../screen.ts'
import { API_REFERENCE } from '../urls.ts'
import { type ApiDocument, listPlaces, resolvedPlace } from './document.ts'
import { operationView } from './operation-view.ts'
import { overviewView } from './overview-view.ts'

interface ReferenceDeps {
  /** The OpenAPI document. */
  readonly swagger: () => object
  readonly origin: () => string
}

const config = { public: true }

/** The reference of the HTTP API, from the OpenAPI document: an overview, and a screen for each operation. */
export const referenceRoutes = registerRoutes<ReferenceDeps>(
  screenRoute(API_REFERENCE, {
    config,
    view: (_, { swagger }: ReferenceDeps) => overviewView(swagger() as ApiDocument), // as it is generated
  }),
  screenRoute(`${API_REFERENCE}/:operation`, {
    config,
    view: ({ params }, { swagger, origin }: ReferenceDeps) => {
      const document = swagger() as ApiDocument // as it is generated
      const place = listPlaces(document).find(({ operation }) => operation.operationId === params.operation)
      if (!place) throw new AppError('not_found', 'There is no operation with this name.')
      return operationView(resolvedPlace(place, document), origin())
    },
  }),
)

import { Type } from 'typebox'
import { timeSchema } from '../../access/schema.ts'
import { enumSchema, nullable } from '../../platform/http/schemas.ts'
import { OAUTH_SCOPES } from './scopes.ts'

export const connectionSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  app: Type.Object(
    {
      id: Type.String({ description: 'The OAuth client id; a URL if the app has a metadata document.' }),
      name: Type.String({ description: 'As the app calls itself.' }),
      redirectUri: Type.String(),
    },
    { description: 'The app that acts for you.' },
  ),
  scopes: Type.Array(enumSchema(OAUTH_SCOPES)),
  spaces: nullable(
    Type.Array(Type.String()),
    'Slugs of the only spaces that it may access; null: all that you may access.',
  ),
  audience: enumSchema(['mcp', 'api'], 'What its tokens are for: MCP alone, or the whole API.'),
  createdAt: timeSchema,
  lastUsedAt: nullable(timeSchema),
  expiresAt: timeSchema,
})

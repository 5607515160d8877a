import { Type } from 'typebox'
import { timeSchema } from '../access/schema.ts'

export const connectionSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  app: Type.Object(
    {
      id: Type.String({
        description: 'The OAuth client id; a URL if the app has a metadata document.',
      }),
      name: Type.String({ description: 'As the app calls itself.' }),
      redirectUri: Type.String(),
    },
    { description: 'The app that acts for you.' },
  ),
  scopes: Type.Array(Type.Union([Type.Literal('read'), Type.Literal('write')])),
  spaces: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Slugs of the only spaces that it may access; null: all that you may access.',
  }),
  audience: Type.Union([Type.Literal('mcp'), Type.Literal('api')], {
    description: 'What its tokens are for: MCP alone, or the whole API.',
  }),
  createdAt: timeSchema,
  lastUsedAt: Type.Union([timeSchema, Type.Null()]),
  expiresAt: timeSchema,
})

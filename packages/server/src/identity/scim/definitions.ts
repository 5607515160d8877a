import { GROUP_SCHEMA, type Json, listResponse, MAX_RESULTS, SCIM_PATH, USER_SCHEMA } from './protocol.ts'

const CONFIG_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
const TYPE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

interface Attribute {
  readonly name: string
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference'
  readonly multiValued?: true
  readonly required?: true
  readonly caseExact?: true
  readonly readOnly?: true
  readonly unique?: true
  readonly description: string
  readonly subAttributes?: readonly Attribute[]
}

const USER: readonly Attribute[] = [
  {
    name: 'userName',
    required: true,
    unique: true,
    description: 'The name of the account, usually an e-mail address.',
  },
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name.',
    subAttributes: [
      { name: 'formatted', description: 'The full name.' },
      { name: 'familyName', description: 'The family name.' },
      { name: 'givenName', description: 'The given name.' },
    ],
  },
  { name: 'displayName', description: 'The name that other people see.' },
  { name: 'active', type: 'boolean', description: 'False: the person cannot sign in.' },
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    description: 'E-mail addresses. The primary one is that of the account.',
    subAttributes: [
      { name: 'value', description: 'The address.' },
      { name: 'display', description: 'A label.' },
      { name: 'type', description: 'Such as `work` or `home`.' },
      { name: 'primary', type: 'boolean', description: 'Whether it is the address of the account.' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    readOnly: true,
    description: 'The groups of the person.',
    subAttributes: [
      { name: 'value', caseExact: true, readOnly: true, description: 'The id of the group.' },
      { name: '$ref', type: 'reference', readOnly: true, description: 'The URL of the group.' },
      { name: 'display', readOnly: true, description: 'The name of the group.' },
      { name: 'type', readOnly: true, description: '`direct`.' },
    ],
  },
]

const GROUP: readonly Attribute[] = [
  { name: 'displayName', required: true, unique: true, description: 'The name of the group.' },
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    description: 'The people in the group.',
    subAttributes: [
      { name: 'value', caseExact: true, description: 'The id of the person.' },
      { name: '$ref', type: 'reference', description: 'The URL of the person.' },
      { name: 'display', readOnly: true, description: 'The name of the person.' },
      { name: 'type', description: '`User`: groups are not nested.' },
    ],
  },
]

const TYPES = [
  { name: 'User', endpoint: '/Users', description: 'A person', schema: USER_SCHEMA, attributes: USER },
  { name: 'Group', endpoint: '/Groups', description: 'A group', schema: GROUP_SCHEMA, attributes: GROUP },
] as const

/** What this service supports (RFC 7643, 5). */
export function serviceProviderConfig(publicUrl: string): Json {
  const unsupportedFeature = { supported: false }
  return {
    schemas: [CONFIG_SCHEMA],
    patch: { supported: true },
    bulk: { ...unsupportedFeature, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: unsupportedFeature,
    sort: unsupportedFeature,
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'The token that an organisation admin creates for SCIM.',
        specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${publicUrl}${SCIM_PATH}/ServiceProviderConfig` },
  }
}

/** The types of resources (RFC 7643, 6). */
export function resourceTypes(publicUrl: string): readonly Json[] {
  return TYPES.map(({ name, endpoint, description, schema }) => ({
    schemas: [TYPE_SCHEMA],
    id: name,
    name,
    endpoint,
    description,
    schema,
    meta: { resourceType: 'ResourceType', location: `${publicUrl}${SCIM_PATH}/ResourceTypes/${name}` },
  }))
}

/** The attributes of resources (RFC 7643, 7). */
export function schemaDefinitions(publicUrl: string): readonly Json[] {
  return TYPES.map(({ name, description, schema, attributes }) => ({
    schemas: [SCHEMA_SCHEMA],
    id: schema,
    name,
    description,
    attributes: attributes.map(attributeDefinition),
    meta: { resourceType: 'Schema', location: `${publicUrl}${SCIM_PATH}/Schemas/${schema}` },
  }))
}

/** All of a few definitions, as a list. */
export function definitionList(definitions: readonly Json[]): Json {
  return listResponse(definitions, { total: definitions.length, startIndex: 1 })
}

function attributeDefinition({ subAttributes, readOnly, unique, ...attribute }: Attribute): Json {
  const { name, type = 'string', multiValued = false, required = false, caseExact = false } = attribute
  return {
    name,
    type,
    multiValued,
    description: attribute.description,
    required,
    ...(type === 'string' || type === 'reference' ? { caseExact } : {}),
    ...(type === 'reference' && { referenceTypes: ['User', 'Group'] }),
    mutability: readOnly ? 'readOnly' : 'readWrite',
    returned: 'default',
    uniqueness: unique ? 'server' : 'none',
    ...(subAttributes && { subAttributes: subAttributes.map(attributeDefinition) }),
  }
}

// Made by `npm run client:types` from /openapi.json: not to be changed by hand.

export interface paths {
    readonly "/healthz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether the process runs */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly status: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/readyz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Whether requests can be served: the database answers and its schema is current */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly status: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Metrics for Prometheus */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/problems/{code}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What a problem means */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly code: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly code: string;
                            readonly status: number;
                            readonly title: string;
                            readonly explanation: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/me/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List your keys */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Whether revoked keys are listed too. */
                    readonly includeRevoked?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                /** @description The first characters of the key, to recognise it by. */
                                readonly hint: string;
                                /** @description Who did it. */
                                readonly principal: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly scopes: readonly ("read" | "write" | "admin")[];
                                /** @description Slugs of the only spaces that it opens; null: all that its principal may enter. */
                                readonly spaces: readonly string[] | null;
                                readonly expiresAt: string | null;
                                /** @description Kept to the minute. */
                                readonly lastUsedAt: string | null;
                                readonly revokedAt: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /** Create a key for yourself */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        /** @description Each includes the ones before it. */
                        readonly scopes: readonly ("read" | "write" | "admin")[];
                        /** @description Slugs of the only spaces that the key opens; `personal` is its principal’s own. */
                        readonly spaces?: readonly string[];
                        /** @description RFC 3339, in the future. */
                        readonly expiresAt?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly apiKey: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                /** @description The first characters of the key, to recognise it by. */
                                readonly hint: string;
                                /** @description Who did it. */
                                readonly principal: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly scopes: readonly ("read" | "write" | "admin")[];
                                /** @description Slugs of the only spaces that it opens; null: all that its principal may enter. */
                                readonly spaces: readonly string[] | null;
                                readonly expiresAt: string | null;
                                /** @description Kept to the minute. */
                                readonly lastUsedAt: string | null;
                                readonly revokedAt: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            };
                            /** @description The key itself. It is shown this once, and never again. */
                            readonly secret: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/me/api-keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revoke one of your keys */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/api-keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the keys of the organisation */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Whether revoked keys are listed too. */
                    readonly includeRevoked?: boolean;
                    readonly principal?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                /** @description The first characters of the key, to recognise it by. */
                                readonly hint: string;
                                /** @description Who did it. */
                                readonly principal: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly scopes: readonly ("read" | "write" | "admin")[];
                                /** @description Slugs of the only spaces that it opens; null: all that its principal may enter. */
                                readonly spaces: readonly string[] | null;
                                readonly expiresAt: string | null;
                                /** @description Kept to the minute. */
                                readonly lastUsedAt: string | null;
                                readonly revokedAt: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /** Create a key for a principal */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Id of the principal that the key is for. */
                        readonly principal: string;
                        readonly name: string;
                        /** @description Each includes the ones before it. */
                        readonly scopes: readonly ("read" | "write" | "admin")[];
                        /** @description Slugs of the only spaces that the key opens; `personal` is its principal’s own. */
                        readonly spaces?: readonly string[];
                        /** @description RFC 3339, in the future. */
                        readonly expiresAt?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly apiKey: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                /** @description The first characters of the key, to recognise it by. */
                                readonly hint: string;
                                /** @description Who did it. */
                                readonly principal: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly scopes: readonly ("read" | "write" | "admin")[];
                                /** @description Slugs of the only spaces that it opens; null: all that its principal may enter. */
                                readonly spaces: readonly string[] | null;
                                readonly expiresAt: string | null;
                                /** @description Kept to the minute. */
                                readonly lastUsedAt: string | null;
                                readonly revokedAt: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            };
                            /** @description The key itself. It is shown this once, and never again. */
                            readonly secret: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/api-keys/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revoke a key */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/principals": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the principals of the organisation */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    readonly kind?: "human" | "agent";
                    /** @description The role in the organisation. */
                    readonly role?: "admin" | "member";
                    readonly disabled?: boolean;
                    /** @description What the name holds, in whatever case. */
                    readonly name?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                                /** @description The role in the organisation. */
                                readonly role: "admin" | "member";
                                readonly disabled: boolean;
                                readonly disabledAt: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /** Create a principal */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name: string;
                        readonly kind: "human" | "agent";
                        /** @description The role in the organisation. */
                        readonly role?: "admin" | "member";
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly name: string;
                            readonly kind: "human" | "agent";
                            /** @description The role in the organisation. */
                            readonly role: "admin" | "member";
                            readonly disabled: boolean;
                            readonly disabledAt: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/principals/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a principal */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly name: string;
                            readonly kind: "human" | "agent";
                            /** @description The role in the organisation. */
                            readonly role: "admin" | "member";
                            readonly disabled: boolean;
                            readonly disabledAt: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /** Change the name or role of a principal, disable or enable it */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly name?: string;
                        /** @description The role in the organisation. */
                        readonly role?: "admin" | "member";
                        /** @description Whether its keys and sessions are refused, on every node at once. */
                        readonly disabled?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly name: string;
                            readonly kind: "human" | "agent";
                            /** @description The role in the organisation. */
                            readonly role: "admin" | "member";
                            readonly disabled: boolean;
                            readonly disabledAt: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                        };
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/admin/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List administrative acts, the latest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Id of a principal. */
                    readonly actor?: string;
                    readonly action?: string;
                    /** @description Id of the target; of a space its slug. */
                    readonly target?: string;
                    /** @description RFC 3339; this instant or later. */
                    readonly since?: string;
                    /** @description RFC 3339; before this instant. */
                    readonly until?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                /** Format: date-time */
                                readonly at: string;
                                /** @description What was done, such as `api_key.revoked`. */
                                readonly action: string;
                                /** @description Who did it; null: nobody was authenticated. */
                                readonly actor: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                } | null;
                                readonly target: {
                                    readonly type: string;
                                    readonly id: string;
                                    readonly name: string;
                                };
                                readonly details: {
                                    readonly [key: string]: unknown;
                                };
                                /** @description Where the request came from. */
                                readonly address: string | null;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who you are, and what your key allows */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly name: string;
                            readonly kind: "human" | "agent";
                            /** @description The role in the organisation. */
                            readonly role: "admin" | "member";
                            /** @description What the credential of this request allows. */
                            readonly scopes: readonly ("read" | "write" | "admin")[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the members of a space */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** @description Who did it. */
                                readonly principal: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly role: "viewer" | "editor" | "admin";
                                /** Format: date-time */
                                readonly createdAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/members/{principal}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /** Give a principal a role in a space */
        readonly put: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                    /** @description Id of the principal. */
                    readonly principal: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly role: "viewer" | "editor" | "admin";
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description Who did it. */
                            readonly principal: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            readonly role: "viewer" | "editor" | "admin";
                            /** Format: date-time */
                            readonly createdAt: string;
                        };
                    };
                };
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description Who did it. */
                            readonly principal: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            readonly role: "viewer" | "editor" | "admin";
                            /** Format: date-time */
                            readonly createdAt: string;
                        };
                    };
                };
            };
        };
        readonly post?: never;
        /** Take a principal’s role in a space away */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                    /** @description Id of the principal. */
                    readonly principal: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the spaces that you can read */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly slug: string;
                                readonly name: string;
                                readonly description: string;
                                readonly kind: "shared" | "personal";
                                /** @description `org`: every principal reads. `private`: members only. */
                                readonly visibility: "org" | "private";
                                /** @description What people who are no members may do in an `org` space; agents are viewers. */
                                readonly defaultRole: "viewer" | "editor";
                                /** @description What the caller may do here. */
                                readonly role: "viewer" | "editor" | "admin";
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /** Create a space */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Lower-case letters, digits and single hyphens; at most 64 characters. */
                        readonly slug: string;
                        readonly name?: string;
                        readonly description?: string;
                        /** @description `org`: every principal reads. `private`: members only. */
                        readonly visibility?: "org" | "private";
                        /** @description What people who are no members may do in an `org` space; agents are viewers. */
                        readonly defaultRole?: "viewer" | "editor";
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly slug: string;
                            readonly name: string;
                            readonly description: string;
                            readonly kind: "shared" | "personal";
                            /** @description `org`: every principal reads. `private`: members only. */
                            readonly visibility: "org" | "private";
                            /** @description What people who are no members may do in an `org` space; agents are viewers. */
                            readonly defaultRole: "viewer" | "editor";
                            /** @description What the caller may do here. */
                            readonly role: "viewer" | "editor" | "admin";
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a space */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly slug: string;
                            readonly name: string;
                            readonly description: string;
                            readonly kind: "shared" | "personal";
                            /** @description `org`: every principal reads. `private`: members only. */
                            readonly visibility: "org" | "private";
                            /** @description What people who are no members may do in an `org` space; agents are viewers. */
                            readonly defaultRole: "viewer" | "editor";
                            /** @description What the caller may do here. */
                            readonly role: "viewer" | "editor" | "admin";
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /** Delete a space */
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    /** @description Delete its pages with it; only for organisation admins. */
                    readonly force?: boolean;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /** Change a space */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Lower-case letters, digits and single hyphens; at most 64 characters. */
                        readonly slug?: string;
                        readonly name?: string;
                        readonly description?: string;
                        /** @description `org`: every principal reads. `private`: members only. */
                        readonly visibility?: "org" | "private";
                        /** @description What people who are no members may do in an `org` space; agents are viewers. */
                        readonly defaultRole?: "viewer" | "editor";
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly slug: string;
                            readonly name: string;
                            readonly description: string;
                            readonly kind: "shared" | "personal";
                            /** @description `org`: every principal reads. `private`: members only. */
                            readonly visibility: "org" | "private";
                            /** @description What people who are no members may do in an `org` space; agents are viewers. */
                            readonly defaultRole: "viewer" | "editor";
                            /** @description What the caller may do here. */
                            readonly role: "viewer" | "editor" | "admin";
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read a page
         * @description HTML by default; Markdown by the suffix `.md` or `Accept: text/markdown`; JSON by `Accept: application/json`.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Number of a revision. */
                    readonly version?: number;
                    /** @description HTML loads images of other sites, which a service with `SVC_EXTERNAL_IMAGES=click` does not do otherwise. */
                    readonly images?: "show";
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** @description Markdown, byte for byte as it was written. */
                            readonly body: string;
                        };
                    };
                };
            };
        };
        /**
         * Write a page
         * @description Creates the page (201), or adds a revision (200), for which `If-Match` must name the current ETag. The body is the Markdown itself, or JSON. `If-None-Match: *` only creates.
         */
        readonly put: {
            readonly parameters: {
                readonly query?: {
                    /** @description What the revision is about. */
                    readonly note?: string;
                };
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Markdown. Left out where a template is named. */
                        readonly body?: string;
                        /** @description What the revision is about. */
                        readonly note?: string;
                        /** @description Page template to make the page from: `name` in the same space, or `space/name`. */
                        readonly template?: string;
                        /** @description Values for the variables of the template. */
                        readonly variables?: Record<string, unknown>;
                        /** @description Values by key, on create only. */
                        readonly metadata?: Record<string, unknown>;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                        };
                    };
                };
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                        };
                    };
                };
            };
        };
        readonly post?: never;
        /**
         * Delete a page
         * @description Puts the page in the trash; `If-Match` must name its current ETag. With `purge=true` it is removed for good, and so is one that is in the trash already.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: {
                    /** @description Remove it for good; for admins of the space. */
                    readonly purge?: boolean;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /**
         * Edit parts of a page
         * @description Needs `If-Match`. The edits are applied in turn, all or none, and make one revision. Sections follow the Markdown parse: a `#` in a code block is no heading. Nothing outside the edits changes.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly edits: readonly ({
                            /** @enum {string} */
                            readonly op: "append";
                            /** @description Markdown. It gets lines of its own. */
                            readonly text: string;
                        } | {
                            /** @enum {string} */
                            readonly op: "prepend";
                            /** @description Markdown. It gets lines of its own. */
                            readonly text: string;
                        } | {
                            /** @enum {string} */
                            readonly op: "replace";
                            /** @description Exact text. */
                            readonly find: string;
                            readonly text: string;
                            /** @default 1 */
                            readonly expectedCount?: number;
                        } | {
                            /** @enum {string} */
                            readonly op: "replaceSection";
                            /** @description The text of a heading, without its marks. */
                            readonly heading: string;
                            readonly level?: number;
                            /** @description Which of several that fit, counted from 1. */
                            readonly occurrence?: number;
                            /** @description Markdown. It gets lines of its own. */
                            readonly text: string;
                        } | {
                            /** @enum {string} */
                            readonly op: "insertBefore";
                            /** @description The text of a heading, without its marks. */
                            readonly heading: string;
                            readonly level?: number;
                            /** @description Which of several that fit, counted from 1. */
                            readonly occurrence?: number;
                            /** @description Markdown. It gets lines of its own. */
                            readonly text: string;
                        } | {
                            /** @enum {string} */
                            readonly op: "insertAfter";
                            /** @description The text of a heading, without its marks. */
                            readonly heading: string;
                            readonly level?: number;
                            /** @description Which of several that fit, counted from 1. */
                            readonly occurrence?: number;
                            /** @description Markdown. It gets lines of its own. */
                            readonly text: string;
                        })[];
                        /** @description What the revision is about. */
                        readonly note?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            readonly changes: readonly {
                                /** @description Number of the edit, counted from 0. */
                                readonly edit: number;
                                /** @description First line that it changed, counted from 1 in the new body. */
                                readonly fromLine: number;
                                readonly toLine: number;
                            }[];
                        };
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/titles": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find pages by the beginning of a title or a path
         * @description For whoever types: words may be begun, in any order; case and accents do not count. The best fit comes first: the very title, then titles that begin so. Without `q` the pages that were changed last. Only pages that you can read. It offers, it does not list: there is no cursor.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description What was typed. */
                    readonly q?: string;
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** @description Slug of the space; `personal` is your own. */
                                readonly space: string;
                                readonly path: string;
                                readonly title: string;
                                /** @description The address of the page on this service, such as `/pages/docs/start`. */
                                readonly url: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/versions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the revisions of a page, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly version: number;
                                readonly title: string;
                                readonly note: string | null;
                                /** @description Bytes of the body. */
                                readonly size: number;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** @description The version that was promoted. */
                                readonly restoredFrom: number | null;
                                readonly isLatest: boolean;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/versions/{n}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read one revision */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description HTML loads images of other sites, which a service with `SVC_EXTERNAL_IMAGES=click` does not do otherwise. */
                    readonly images?: "show";
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                    /** @description Number of a revision. */
                    readonly n: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** @description Markdown, byte for byte as it was written. */
                            readonly body: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/versions/{n}/make-latest": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Promote a revision to be the latest
         * @description Appends a revision with the body of revision n. `If-Match` is honoured when sent.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                    /** @description Number of a revision. */
                    readonly n: number;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/personal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the pages of your personal space */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Only paths that begin so. */
                    readonly prefix?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                /** @description Address of the page. */
                                readonly url: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** @description Send it as `If-Match` to change the page. */
                                readonly etag: string;
                                readonly frontmatter: {
                                    readonly [key: string]: unknown;
                                };
                                readonly note: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/pages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the pages of a space in the order of their paths */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Only paths that begin so. */
                    readonly prefix?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                /** @description Address of the page. */
                                readonly url: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** @description Send it as `If-Match` to change the page. */
                                readonly etag: string;
                                readonly frontmatter: {
                                    readonly [key: string]: unknown;
                                };
                                readonly note: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/recent": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the pages that you can read, latest change first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                /** @description Address of the page. */
                                readonly url: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** @description Send it as `If-Match` to change the page. */
                                readonly etag: string;
                                readonly frontmatter: {
                                    readonly [key: string]: unknown;
                                };
                                readonly note: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/restore": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Bring a page back from the trash
         * @description Of several that were deleted here the one that was deleted last. It comes back with its history and metadata, as the next version of the address.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Address of the page. */
                            readonly url: string;
                            /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                            readonly title: string;
                            readonly version: number;
                            /** @description Send it as `If-Match` to change the page. */
                            readonly etag: string;
                            readonly frontmatter: {
                                readonly [key: string]: unknown;
                            };
                            readonly note: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description Who did it. */
                            readonly updatedBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/move": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Move a page
         * @description Needs `If-Match`. The page keeps its id, history and metadata; the old address leads to the new one. All or nothing.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        readonly to: {
                            /** @description Slug of the space; the same when absent. */
                            readonly space?: string;
                            readonly path: string;
                        };
                        /**
                         * @description Write new revisions of the pages that link here, where you may edit them. `false` leaves their links as they are.
                         * @default true
                         */
                        readonly rewriteLinks?: boolean;
                        /** @description Only tell what would be done. */
                        readonly dryRun?: boolean;
                        /** @description Move all pages below it, too. */
                        readonly withChildren?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly dryRun: boolean;
                            readonly page: {
                                readonly space: string;
                                readonly path: string;
                                /** @description Address of the page. */
                                readonly url: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** @description Send it as `If-Match` to change the page. */
                                readonly etag: string;
                                readonly frontmatter: {
                                    readonly [key: string]: unknown;
                                };
                                readonly note: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            } | null;
                            readonly moved: readonly {
                                readonly from: {
                                    readonly space: string;
                                    readonly path: string;
                                };
                                readonly to: {
                                    readonly space: string;
                                    readonly path: string;
                                };
                                readonly title: string;
                                readonly version: number;
                            }[];
                            readonly rewritten: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly links: readonly {
                                    readonly line: number;
                                    readonly from: string;
                                    readonly to: string;
                                }[];
                            }[];
                            readonly left: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly line: number | null;
                                readonly href: string | null;
                                readonly reason: "forbidden" | "not_found_in_source" | "too_large";
                            }[];
                            readonly refusals: readonly {
                                readonly code: "page_exists" | "invalid_path";
                                readonly space: string;
                                readonly path: string;
                                readonly detail: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/trash": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the trash of a space, latest deletion first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly deletedAt: string;
                                /** @description Who did it. */
                                readonly deletedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** @description From when on it may be removed for good; null: it is kept. */
                                readonly expiresAt: string | null;
                                /** @description Whether restoring the address brings back this one: no page stands there, and none was deleted there since. */
                                readonly restorable: boolean;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/move-folder": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Move a folder
         * @description Moves all pages below a path, and the page at the path where there is one, as a page move with `withChildren` does. All or nothing. 404 where no page is in the folder, 409 `page_exists` where an address is taken. Takes no `If-Match`: a folder has no version.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Path of the folder, without a slash at its end. */
                        readonly path: string;
                        readonly to: {
                            /** @description Slug of the space; the same when absent. */
                            readonly space?: string;
                            readonly path: string;
                        };
                        /**
                         * @description Write new revisions of the pages that link here, where you may edit them. `false` leaves their links as they are.
                         * @default true
                         */
                        readonly rewriteLinks?: boolean;
                        /** @description Only tell what would be done. */
                        readonly dryRun?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly dryRun: boolean;
                            readonly page: {
                                readonly space: string;
                                readonly path: string;
                                /** @description Address of the page. */
                                readonly url: string;
                                /** @description Front matter’s `title`, else the first heading, else the last segment of the path. */
                                readonly title: string;
                                readonly version: number;
                                /** @description Send it as `If-Match` to change the page. */
                                readonly etag: string;
                                readonly frontmatter: {
                                    readonly [key: string]: unknown;
                                };
                                readonly note: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            } | null;
                            readonly moved: readonly {
                                readonly from: {
                                    readonly space: string;
                                    readonly path: string;
                                };
                                readonly to: {
                                    readonly space: string;
                                    readonly path: string;
                                };
                                readonly title: string;
                                readonly version: number;
                            }[];
                            readonly rewritten: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly links: readonly {
                                    readonly line: number;
                                    readonly from: string;
                                    readonly to: string;
                                }[];
                            }[];
                            readonly left: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly line: number | null;
                                readonly href: string | null;
                                readonly reason: "forbidden" | "not_found_in_source" | "too_large";
                            }[];
                            readonly refusals: readonly {
                                readonly code: "page_exists" | "invalid_path";
                                readonly space: string;
                                readonly path: string;
                                readonly detail: string;
                            }[];
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/delete-folder": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Delete a folder
         * @description Puts all pages below a path, and the page at the path where there is one, in the trash, whatever their versions. All or nothing. 404 where no page is in the folder. Each page is restored by itself.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Path of the folder, without a slash at its end. */
                        readonly path: string;
                        /** @description Only tell what would be done. */
                        readonly dryRun?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly dryRun: boolean;
                            readonly deleted: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly title: string;
                                readonly version: number;
                            }[];
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/changes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read what happened, in order and without gaps
         * @description Every event that you may see, your personal space included. `Accept: text/event-stream` makes it a stream of Server-Sent Events, which goes on from `Last-Event-ID`.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description `nextCursor` of the answer before, or `now`; absent: the beginning. */
                    readonly since?: string;
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    /** @description Comma-separated, such as `page.created,page.updated`. */
                    readonly kinds?: string;
                    /** @description Seconds to wait for a change where there is none. */
                    readonly wait?: number;
                    readonly limit?: number;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly ({
                                /** @description Names the event; a webhook’s body has the same. */
                                readonly id: string;
                                /** @description The kind, such as `page.updated`. */
                                readonly event: string;
                                /** Format: date-time */
                                readonly occurredAt: string;
                                /** @description Who did it. */
                                readonly actor: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                readonly page?: {
                                    readonly space: string;
                                    readonly path: string;
                                    readonly url: string;
                                    readonly title: string;
                                    readonly version: number;
                                };
                                readonly space?: {
                                    readonly slug: string;
                                } & {
                                    readonly [key: string]: unknown;
                                };
                            } & {
                                readonly [key: string]: unknown;
                            })[];
                            /** @description Send it as `since` to go on; it is always there. */
                            readonly nextCursor: string;
                            /** @description Whether more is there already. */
                            readonly hasMore: boolean;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the links of a page and the pages that link to it
         * @description All links of the page, and its backlinks page by page. With `depth`, the neighbourhood of the page instead: what lies within so many links of it, as nodes and edges.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Answer with the neighbourhood instead. */
                    readonly depth?: number;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description Slug of the space; `personal` is the caller’s own. */
                            readonly space: string;
                            readonly path: string;
                            readonly depth: number;
                            /** @description The page itself first, then the nearest. */
                            readonly nodes: readonly {
                                /** @description Slug of the space; `personal` is the caller’s own. */
                                readonly space: string;
                                readonly path: string;
                                /** @description Title of the page, where it exists and you can read it. */
                                readonly title: string | null;
                                /** @description Whether a page stands there now; null where you may not know. */
                                readonly exists: boolean | null;
                                /** @description Links between this page and the one asked for. */
                                readonly distance: number;
                            }[];
                            readonly edges: readonly {
                                /** @description Place in `nodes` of the page that links. */
                                readonly from: number;
                                /** @description Place in `nodes` of the target. */
                                readonly to: number;
                                /** @description The address as it is written, where it redirects to the page; null where the link is direct. */
                                readonly via: {
                                    /** @description Slug of the space; `personal` is the caller’s own. */
                                    readonly space: string;
                                    readonly path: string;
                                } | null;
                            }[];
                            /** @description Whether the neighbourhood has more than is shown. */
                            readonly truncated: boolean;
                        } | {
                            /** @description Slug of the space; `personal` is the caller’s own. */
                            readonly space: string;
                            readonly path: string;
                            /** @description The links of the page, in the order of its body. */
                            readonly outbound: readonly {
                                /** @description The slug as it is written; of a relative link that of the page. */
                                readonly space: string;
                                /** @description The path as it is written. */
                                readonly path: string;
                                /** @description What the link shows. */
                                readonly text: string;
                                /** @description Line of the body, counted from 1. */
                                readonly line: number;
                                /** @description Whether a page stands there now; null where you may not know. */
                                readonly exists: boolean | null;
                                /** @description Title of the page, where it exists and you can read it. */
                                readonly title: string | null;
                                /** @description Whether the address redirects: the page has moved, or its space has another slug now. */
                                readonly redirected: boolean;
                                /** @description The canonical URL of the page; as written where you may not know it. */
                                readonly url: string;
                            }[];
                            /** @description Pages that link here and that you can read. */
                            readonly backlinks: readonly {
                                /** @description Slug of the space; `personal` is the caller’s own. */
                                readonly space: string;
                                readonly path: string;
                                readonly title: string;
                                /** @description What the link shows. */
                                readonly text: string;
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description The address as it is written, where it redirects to the page; null where the link is direct. */
                                readonly via: {
                                    /** @description Slug of the space; `personal` is the caller’s own. */
                                    readonly space: string;
                                    readonly path: string;
                                } | null;
                            }[];
                            /** @description Of the backlinks. */
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/links/broken": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the broken links of a space
         * @description In the order of the linking pages’ paths, then of the links in the page. A page of the list may be short before its end: go on while there is a `nextCursor`.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly source: {
                                    readonly path: string;
                                    readonly title: string;
                                };
                                readonly target: {
                                    /** @description Slug of the space; `personal` is the caller’s own. */
                                    readonly space: string;
                                    readonly path: string;
                                };
                                /** @description What the link shows. */
                                readonly text: string;
                                /** @description Line of the body, counted from 1. */
                                readonly line: number;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/links/orphans": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the pages of a space to which no other page links
         * @description In the order of their paths; only pages that you can read count. A page of the list may be short before its end: go on while there is a `nextCursor`.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly path: string;
                                readonly title: string;
                                /** Format: date-time */
                                readonly updatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/links/wanted": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the missing pages of a space to which the most pages link
         * @description Only pages that you can read count.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** @description Slug of the space; `personal` is the caller’s own. */
                                readonly space: string;
                                readonly path: string;
                                /** @description Pages that link there and that you can read. */
                                readonly pageCount: number;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/links/rebuild": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Extract the links of all pages anew
         * @description For organisation admins. Writers are not kept waiting. Waits for up to 20 s; then 202 with `Location`, which tells the progress. Who asks while the same is under way joins it.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                };
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly status: "running" | "done";
                            /** @description The space that is indexed; null: all. */
                            readonly space: string | null;
                            /** @description Pages of personal spaces are scanned as well, and counted only in a rebuild of that space. */
                            readonly pagesScanned: number;
                            /** @description Links of the pages that were scanned, equal ones counted once. */
                            readonly linksIndexed: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description When it was done. */
                            readonly finishedAt: string | null;
                        };
                    };
                };
                /** @description Default Response */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly status: "running" | "done";
                            /** @description The space that is indexed; null: all. */
                            readonly space: string | null;
                            /** @description Pages of personal spaces are scanned as well, and counted only in a rebuild of that space. */
                            readonly pagesScanned: number;
                            /** @description Links of the pages that were scanned, equal ones counted once. */
                            readonly linksIndexed: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description When it was done. */
                            readonly finishedAt: string | null;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/links/rebuild/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Read how far a rebuild is
         * @description For organisation admins.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly status: "running" | "done";
                            /** @description The space that is indexed; null: all. */
                            readonly space: string | null;
                            /** @description Pages of personal spaces are scanned as well, and counted only in a rebuild of that space. */
                            readonly pagesScanned: number;
                            /** @description Links of the pages that were scanned, equal ones counted once. */
                            readonly linksIndexed: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description When it was done. */
                            readonly finishedAt: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read the metadata of a page */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Values by key. */
                            readonly metadata: {
                                readonly [key: string]: unknown;
                            };
                            readonly entries: readonly {
                                readonly key: string;
                                /** @description Any JSON value. */
                                readonly value: unknown;
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the metadata of a page
         * @description All of the patch or nothing. It makes no revision and leaves the ETag of the page as it is. Concurrent appends all land.
         */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            /** @description A key stands in one member only. */
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Gives each key a value; null deletes the key. */
                        readonly set?: {
                            readonly [key: string]: unknown;
                        };
                        /** @description Adds an element, or the elements of an array, to the array of each key. */
                        readonly append?: {
                            readonly [key: string]: unknown;
                        };
                        /** @description The same, but skips elements that the array holds already. */
                        readonly appendUnique?: {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: string;
                            readonly path: string;
                            /** @description Values by key. */
                            readonly metadata: {
                                readonly [key: string]: unknown;
                            };
                            readonly entries: readonly {
                                readonly key: string;
                                /** @description Any JSON value. */
                                readonly value: unknown;
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Who did it. */
                                readonly updatedBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                            }[];
                        };
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/pages/{space}/{path}/metadata/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Who changed which key of a page, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Only this key. */
                    readonly key?: string;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space: string;
                    /** @description Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it. */
                    readonly path: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly key: string;
                                readonly op: "set" | "append" | "appendUnique" | "delete";
                                /** @description Any JSON value. */
                                readonly value: unknown;
                                /** @description Any JSON value. */
                                readonly previousValue: unknown;
                                /** @description Whether the key had a value before. */
                                readonly existed: boolean;
                                /** @description Who did it. */
                                readonly actor: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly createdAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/templates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List the page templates that you can read
         * @description A page template is a page below `templates/` of a space.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    /** @description Whether items hold their `content`. */
                    readonly includeContent?: boolean;
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                /** @description What `template` of a PUT names it by: its path behind `templates/`. */
                                readonly name: string;
                                readonly title: string;
                                readonly description: string | null;
                                /** @description Where pages made from it usually stand, such as `decisions/`. Nothing enforces it. */
                                readonly pathPrefix: string | null;
                                readonly version: number;
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description The metadata that a page made from it begins with. */
                                readonly metadataDefaults: {
                                    readonly [key: string]: unknown;
                                };
                                /** @description The variables of its text. `title`, `date` and `author` have values unless you give others. */
                                readonly variables: readonly string[];
                                /** @description Its text behind the front matter, with `includeContent=true`. */
                                readonly content?: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/space-templates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the space templates */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                    readonly source?: "builtin" | "org" | "remote";
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                                readonly source: "builtin" | "org" | "remote";
                                readonly id: string;
                                readonly title: string;
                                readonly description: string;
                                readonly category: string;
                                readonly pageCount: number;
                                /** Format: date-time */
                                readonly updatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/space-templates/{source}/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a space template with its pages */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                    readonly source: "builtin" | "org" | "remote";
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                            readonly source: "builtin" | "org" | "remote";
                            readonly id: string;
                            readonly title: string;
                            readonly description: string;
                            readonly category: string;
                            readonly pageCount: number;
                            /** Format: date-time */
                            readonly updatedAt: string;
                            /** @description What a space made from it is called, unless you say otherwise. */
                            readonly space: {
                                readonly name: string;
                                readonly description: string;
                            };
                            readonly pages: readonly {
                                readonly path: string;
                                readonly body: string;
                                readonly metadata?: {
                                    readonly [key: string]: unknown;
                                };
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /**
         * Remove a template of the organisation
         * @description For organisation admins. Spaces made from it stay.
         */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                    readonly source: "builtin" | "org" | "remote";
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/space-templates/{source}/{id}/spaces": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Create a space from a template
         * @description The space with all pages of the template, or nothing.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                    readonly source: "builtin" | "org" | "remote";
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Lower-case letters, digits and single hyphens; at most 64 characters. */
                        readonly slug: string;
                        readonly name?: string;
                        readonly description?: string;
                        /** @description `org`: every principal reads. `private`: members only. */
                        readonly visibility?: "org" | "private";
                        /** @description What people who are no members may do in an `org` space; agents are viewers. */
                        readonly defaultRole?: "viewer" | "editor";
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly space: {
                                readonly slug: string;
                                readonly name: string;
                                readonly description: string;
                                readonly kind: "shared" | "personal";
                                /** @description `org`: every principal reads. `private`: members only. */
                                readonly visibility: "org" | "private";
                                /** @description What people who are no members may do in an `org` space; agents are viewers. */
                                readonly defaultRole: "viewer" | "editor";
                                /** @description What the caller may do here. */
                                readonly role: "viewer" | "editor" | "admin";
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                            };
                            readonly template: {
                                /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                                readonly source: "builtin" | "org" | "remote";
                                readonly id: string;
                                readonly title: string;
                                readonly description: string;
                                readonly category: string;
                                readonly pageCount: number;
                                /** Format: date-time */
                                readonly updatedAt: string;
                            };
                            readonly pagesCreated: number;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/space-templates/org": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Keep a space as a template of the organisation
         * @description For organisation admins. A template with the same id is replaced.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Slug of the space whose pages are kept. */
                        readonly space: string;
                        readonly id?: string;
                        readonly title?: string;
                        readonly description?: string;
                        readonly category?: string;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @description `builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue. */
                            readonly source: "builtin" | "org" | "remote";
                            readonly id: string;
                            readonly title: string;
                            readonly description: string;
                            readonly category: string;
                            readonly pageCount: number;
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/export": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Export a space
         * @description A bundle: JSON, or by `Accept: application/zip` a folder of Markdown files with metadata beside them. Each page is as it stands when its turn comes. An answer that ends too early is no JSON and no archive.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Whether pages bring their revisions. */
                    readonly history?: boolean;
                    /** @description The form, for links: it wins over `Accept`. */
                    readonly format?: "json" | "zip";
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** @enum {string} */
                            readonly format: "page-bundle";
                            /** @enum {number} */
                            readonly formatVersion: 1;
                            readonly space: {
                                readonly slug: string;
                                readonly name: string;
                                readonly description?: string;
                            };
                            readonly pages: readonly {
                                readonly path: string;
                                readonly body: string;
                                readonly metadata?: {
                                    readonly [key: string]: unknown;
                                };
                                readonly revisions?: readonly {
                                    readonly version: number;
                                    /** @description Left out of the latest: it is the page’s. */
                                    readonly body?: string;
                                    readonly note?: string | null;
                                    /** @description RFC 3339. */
                                    readonly createdAt: string;
                                    readonly createdBy: {
                                        readonly name: string;
                                        readonly kind: "human" | "agent";
                                    };
                                    readonly restoredFrom?: number | null;
                                }[];
                            }[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/spaces/{slug}/import": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Import pages into a space
         * @description A bundle as JSON or a ZIP archive of Markdown files. It is checked as a whole before anything is written. A bundle with revisions needs the role admin.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: {
                    /** @description What happens to pages that stand already. */
                    readonly onConflict?: "skip" | "overwrite" | "fail";
                    /** @description Whether only to tell what would happen. */
                    readonly dryRun?: boolean;
                    /** @description The first of the conflicts to list, in the order of the upload: with `dryRun` all of them can be read, a hundred at a time. */
                    readonly conflictsOffset?: number;
                };
                readonly header?: never;
                readonly path: {
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly slug: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly dryRun: boolean;
                            /** @description Pages in the upload. */
                            readonly pages: number;
                            readonly created: number;
                            readonly updated: number;
                            /** @description Pages that were what the upload says already. */
                            readonly unchanged: number;
                            readonly skipped: number;
                            /** @description Files of an archive that are no page and belong to none. */
                            readonly ignoredFiles: number;
                            /** @description The names of the first hundred of them. */
                            readonly ignoredFileNames: readonly string[];
                            /** @description At how many paths pages existed already. */
                            readonly conflictCount: number;
                            /** @description A hundred of these paths, from `conflictsOffset` on. */
                            readonly conflicts: readonly string[];
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the webhooks, and the kinds of events */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                readonly url: string;
                                readonly events: readonly string[];
                                readonly spaceSlug: string | null;
                                readonly description: string | null;
                                readonly enabled: boolean;
                                readonly disabledReason: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                            /** @description What `events` may hold, beside `*`. */
                            readonly eventKinds: readonly string[];
                        };
                    };
                };
            };
        };
        readonly put?: never;
        /**
         * Subscribe a receiver
         * @description The secret that signs the deliveries is told in this answer and never again.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Where deliveries are posted: https, and in the public internet. */
                        readonly url: string;
                        /** @description Event kinds; `*` is all of them. */
                        readonly events: readonly ("page.created" | "page.updated" | "page.deleted" | "page.restored" | "page.moved" | "page.metadata.updated" | "space.created" | "space.updated" | "space.deleted" | "*")[];
                        readonly spaceSlug?: string | null;
                        readonly description?: string | null;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 201: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly webhook: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly url: string;
                                readonly events: readonly string[];
                                readonly spaceSlug: string | null;
                                readonly description: string | null;
                                readonly enabled: boolean;
                                readonly disabledReason: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                            };
                            /** @description Signs the deliveries. It is not shown again. */
                            readonly secret: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a webhook */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly url: string;
                            readonly events: readonly string[];
                            readonly spaceSlug: string | null;
                            readonly description: string | null;
                            readonly enabled: boolean;
                            readonly disabledReason: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        /** Remove a webhook */
        readonly delete: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 204: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly options?: never;
        readonly head?: never;
        /** Change a webhook */
        readonly patch: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description Where deliveries are posted: https, and in the public internet. */
                        readonly url?: string;
                        /** @description Event kinds; `*` is all of them. */
                        readonly events?: readonly ("page.created" | "page.updated" | "page.deleted" | "page.restored" | "page.moved" | "page.metadata.updated" | "space.created" | "space.updated" | "space.deleted" | "*")[];
                        readonly spaceSlug?: string | null;
                        readonly description?: string | null;
                        readonly enabled?: boolean;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly url: string;
                            readonly events: readonly string[];
                            readonly spaceSlug: string | null;
                            readonly description: string | null;
                            readonly enabled: boolean;
                            readonly disabledReason: string | null;
                            /** Format: date-time */
                            readonly createdAt: string;
                            /** @description Who did it. */
                            readonly createdBy: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly name: string;
                                readonly kind: "human" | "agent";
                            };
                            /** Format: date-time */
                            readonly updatedAt: string;
                        };
                    };
                };
            };
        };
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give a webhook a new secret
         * @description The old secret signs as well for `graceSeconds`. The new one is not told again.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody: {
                readonly content: {
                    readonly "application/json": {
                        /** @description So long the old secret signs as well; a day unless told. */
                        readonly graceSeconds?: number;
                    };
                };
            };
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly webhook: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly url: string;
                                readonly events: readonly string[];
                                readonly spaceSlug: string | null;
                                readonly description: string | null;
                                readonly enabled: boolean;
                                readonly disabledReason: string | null;
                                /** Format: date-time */
                                readonly createdAt: string;
                                /** @description Who did it. */
                                readonly createdBy: {
                                    /** Format: uuid */
                                    readonly id: string;
                                    readonly name: string;
                                    readonly kind: "human" | "agent";
                                };
                                /** Format: date-time */
                                readonly updatedAt: string;
                            };
                            /** @description Signs the deliveries. It is not shown again. */
                            readonly secret: string;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send a webhook.test delivery and tell what came of it */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly delivered: boolean;
                            readonly delivery: {
                                /** Format: uuid */
                                readonly id: string;
                                readonly event: string;
                                readonly status: "pending" | "succeeded" | "failed" | "blocked";
                                readonly attempts: readonly {
                                    /** Format: date-time */
                                    readonly at: string;
                                    readonly durationMs: number;
                                    readonly responseStatus: number | null;
                                    readonly error: string | null;
                                    readonly responseBody: string | null;
                                }[];
                                /** Format: date-time */
                                readonly createdAt: string;
                                readonly completedAt: string | null;
                                /** @description Null when there will be none, and while one is under way. */
                                readonly nextAttemptAt: string | null;
                                /** @description The JSON that is sent. */
                                readonly payload: unknown;
                            };
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the deliveries of a webhook, newest first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    readonly status?: "pending" | "succeeded" | "failed" | "blocked";
                    /** @description Only deliveries of this kind of event. */
                    readonly event?: "page.created" | "page.updated" | "page.deleted" | "page.restored" | "page.moved" | "page.metadata.updated" | "space.created" | "space.updated" | "space.deleted" | "webhook.test";
                };
                readonly header?: never;
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** Format: uuid */
                                readonly id: string;
                                readonly event: string;
                                readonly status: "pending" | "succeeded" | "failed" | "blocked";
                                readonly attempts: readonly {
                                    /** Format: date-time */
                                    readonly at: string;
                                    readonly durationMs: number;
                                    readonly responseStatus: number | null;
                                    readonly error: string | null;
                                    readonly responseBody: string | null;
                                }[];
                                /** Format: date-time */
                                readonly createdAt: string;
                                readonly completedAt: string | null;
                                /** @description Null when there will be none, and while one is under way. */
                                readonly nextAttemptAt: string | null;
                                /** @description The JSON that is sent. */
                                readonly payload: unknown;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}/deliveries/{deliveryId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Read a delivery */
        readonly get: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                    /** @description Id of the delivery. */
                    readonly deliveryId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly event: string;
                            readonly status: "pending" | "succeeded" | "failed" | "blocked";
                            readonly attempts: readonly {
                                /** Format: date-time */
                                readonly at: string;
                                readonly durationMs: number;
                                readonly responseStatus: number | null;
                                readonly error: string | null;
                                readonly responseBody: string | null;
                            }[];
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly completedAt: string | null;
                            /** @description Null when there will be none, and while one is under way. */
                            readonly nextAttemptAt: string | null;
                            /** @description The JSON that is sent. */
                            readonly payload: unknown;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Send a delivery again, as a new one */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: {
                    /** @description Has the request done once, however often it is sent within 24 hours. */
                    readonly "idempotency-key"?: string;
                };
                readonly path: {
                    /** @description Id of the webhook. */
                    readonly id: string;
                    /** @description Id of the delivery. */
                    readonly deliveryId: string;
                };
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 202: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            /** Format: uuid */
                            readonly id: string;
                            readonly event: string;
                            readonly status: "pending" | "succeeded" | "failed" | "blocked";
                            readonly attempts: readonly {
                                /** Format: date-time */
                                readonly at: string;
                                readonly durationMs: number;
                                readonly responseStatus: number | null;
                                readonly error: string | null;
                                readonly responseBody: string | null;
                            }[];
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly completedAt: string | null;
                            /** @description Null when there will be none, and while one is under way. */
                            readonly nextAttemptAt: string | null;
                            /** @description The JSON that is sent. */
                            readonly payload: unknown;
                        };
                    };
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/search/metadata": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find pages by their metadata
         * @description Pages that you can read and that meet every filter. Numbers rank before dates, dates before other strings, these before anything else; pages without the key come last in both directions, ties by space and path.
         */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description A JSON array of at most 20 objects of key, op and value. Ops: eq, neq, exists, missing, gt, gte, lt, lte, contains. */
                    readonly filters?: string;
                    /** @description The key whose values rank the pages. */
                    readonly orderBy?: string;
                    readonly order?: "asc" | "desc";
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    /** @description Whether each item has its `metadata`. */
                    readonly includeMetadata?: boolean;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly space: string;
                                readonly path: string;
                                readonly title: string;
                                readonly version: number;
                                /** Format: date-time */
                                readonly updatedAt: string;
                                /** @description Values by key. */
                                readonly metadata?: {
                                    readonly [key: string]: unknown;
                                };
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/search/metadata/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** List the metadata keys in use, the most used first */
        readonly get: {
            readonly parameters: {
                readonly query?: {
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    /** @description Only keys that begin so. */
                    readonly prefix?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                readonly key: string;
                                /** @description On how many pages that you can read the key stands. */
                                readonly pageCount: number;
                                readonly valueTypes: readonly ("string" | "number" | "boolean" | "array" | "object")[];
                                /** Format: date-time */
                                readonly lastUpdatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/search": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Find pages by their words
         * @description All words must be there; `"a phrase"`, `-not` and `or` are understood, and the last word matches whatever begins with it. Case and accents do not count. Pages whose title has it all come first. Only pages that you can read are found.
         */
        readonly get: {
            readonly parameters: {
                readonly query: {
                    /** @description What to look for. */
                    readonly q: string;
                    /** @description Items on a page of the list. */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description Slug of the space; `personal` is the caller’s own. */
                    readonly space?: string;
                    /** @description A JSON array of metadata filters, as in `/search/metadata`. */
                    readonly filters?: string;
                };
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content: {
                        readonly "application/json": {
                            readonly items: readonly {
                                /** @description Slug of the space; `personal` is your own. */
                                readonly space: string;
                                readonly path: string;
                                readonly title: string;
                                /** @description HTML: a piece of the page with what was found in `<mark>`, and everything else escaped. */
                                readonly snippet: string;
                                /** @description How well it fits, above 1 where the title alone has all that was looked for. Good for comparing the items of one answer. */
                                readonly score: number;
                                readonly version: number;
                                /** Format: date-time */
                                readonly updatedAt: string;
                            }[];
                            readonly nextCursor: string | null;
                        };
                    };
                };
            };
        };
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/mcp": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * The Model Context Protocol
         * @description Streamable HTTP without sessions, for MCP clients: JSON-RPC messages. Tools, resources and prompts are the pages that the key can see.
         */
        readonly post: {
            readonly parameters: {
                readonly query?: never;
                readonly header?: never;
                readonly path?: never;
                readonly cookie?: never;
            };
            readonly requestBody?: never;
            readonly responses: {
                /** @description Default Response */
                readonly 200: {
                    headers: {
                        readonly [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A problem document, `application/problem+json`. Some problems have further members. */
        readonly Problem: {
            /** @description A URL that explains the code. */
            readonly type: string;
            readonly title: string;
            readonly status: number;
            /** @description What went wrong, for people. */
            readonly detail: string;
            /**
             * @description The contract.
             * @enum {string}
             */
            readonly code: "invalid_request" | "invalid_json" | "invalid_path" | "invalid_slug" | "invalid_cursor" | "invalid_body" | "webhook_url_invalid" | "webhook_url_not_https" | "webhook_url_private" | "template_not_found" | "invalid_variables" | "invalid_bundle" | "invalid_archive" | "import_conflict" | "import_busy" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "expectation_failed" | "not_acceptable" | "slug_taken" | "page_moved" | "space_renamed" | "page_deleted" | "page_exists" | "space_not_empty" | "last_admin" | "cross_site" | "csrf_token_invalid" | "idempotency_key_invalid" | "idempotency_key_unsupported" | "idempotency_key_reused" | "idempotency_in_flight" | "idempotency_answer_lost" | "sign_in_failed" | "sign_in_unavailable" | "not_an_array" | "edit_not_applicable" | "precondition_failed" | "precondition_required" | "payload_too_large" | "unsupported_media_type" | "too_many_requests" | "request_timeout" | "headers_too_large" | "page_busy" | "markdown_too_complex" | "markdown_busy" | "database_unavailable" | "shutting_down" | "storage_full" | "internal_error";
            readonly requestId: string;
            /** @description Each wrong place of the input. */
            readonly issues?: readonly {
                readonly path: string;
                readonly message: string;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;

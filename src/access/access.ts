// Access: who sends a request and what they may do. Interface only: it knows no key, no token and no request.

/** What may be allowed or not: sending and reading files, looking at what is kept, and deleting it. */
export const scopes = ['upload', 'read', 'delete'] as const
export type Scope = (typeof scopes)[number]

/** How the owner of a token begins, so that no subject is ever the owner of a key. Keys cannot have such an owner. */
export const tokenOwnerPrefix = 'token:'

/** Somebody who may do something. */
export interface Caller {
  /** Whose datasets they see and make; empty where nobody is asked who they are. */
  readonly owner: string
  /** Of the key or token, for the log: no secret. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
}

const anyone: Caller = { owner: '', name: 'anyone', scopes: new Set(scopes) }

export interface Access {
  /**
   * Tells who sends a request, from its `Authorization` header.
   * @throws {ServiceError} UNAUTHORIZED, ISSUER_UNAVAILABLE
   */
  identify(authorization: string | undefined): Promise<Caller>
}

/** Lets everybody do everything: for a service that only its own machine reaches. */
export const openAccess: Access = { identify: async () => anyone }

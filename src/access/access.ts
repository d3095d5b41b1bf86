// Access: who sends a request and what they may do. Interface only: it knows no key, no token and no request.

/** What a key can allow: uploading files and reading them again, reading what is stored, and deleting it. */
export const scopes = ['upload', 'read', 'delete'] as const
export type Scope = (typeof scopes)[number]

/** Prefix of owners of tokens, so that no subject is ever the owner of a key. Keys cannot have such an owner. */
export const tokenOwnerPrefix = 'token:'

/** An authenticated sender of requests. */
export interface Caller {
  /** The owner of the datasets that they see and make; empty without authentication. */
  readonly owner: string
  /** Name of the key or token, for the log; not a secret. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** End of the validity of the key or token, in milliseconds since 1970; null for no end. */
  readonly expiresAtMs: number | null
}

const anyone: Caller = { owner: '', name: 'anyone', scopes: new Set(scopes), expiresAtMs: null }

export interface Access {
  /**
   * Identifies the sender of a request by its `Authorization` header.
   * @throws {ServiceError} UNAUTHORIZED, ISSUER_UNAVAILABLE
   */
  identify(authorization: string | undefined): Promise<Caller>
}

/** Allows everything to everyone: for a service that only its own machine can reach. */
export const openAccess: Access = { identify: async () => anyone }

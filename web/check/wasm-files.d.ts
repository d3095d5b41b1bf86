// WASM files: imported, they are the address under which the service has them; and what of Trusted Types the page uses.
declare module '*.wasm' {
  const url: string
  export default url
}

declare var trustedTypes:
  | {
      createPolicy(
        name: string,
        rules: { readonly createScriptURL: () => string },
      ): { createScriptURL(input: string): string }
    }
  | undefined

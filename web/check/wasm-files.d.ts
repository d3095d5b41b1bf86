// WASM files: an import gives the URL at which the service serves the file. Also declares the used part of Trusted
// Types.
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

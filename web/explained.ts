// Explained: an error whose message is a sentence for the user, in the language of the page.
export class Explained extends Error {}

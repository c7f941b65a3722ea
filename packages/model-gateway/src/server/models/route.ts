/** The format in which an answer gives its cost. */
export type AnswerKind = "messages" | "chat" | "responses" | "generate";

/** One allowed request of a model API. */
export interface ApiRoute {
  readonly method: "GET" | "POST";
  /** The whole path in the request; nothing is decoded or resolved. A group named `model` in it is the model. */
  readonly path: RegExp;
  /** The model, if the path can be that of this one only. */
  readonly model?: string;
  /** Parameters that may follow, and their allowed values. */
  readonly query: Readonly<Record<string, RegExp>>;
  /** Absent if it costs nothing. */
  readonly meter?: AnswerKind;
  /** The format of its body if it costs nothing; default: Anthropic's. */
  readonly shape?: AnswerKind;
  /** The only model that its body may name. */
  readonly bodyModel?: string;
  /** True if its body has the request to the model in base64, as Bedrock counts tokens. */
  readonly isWrapped?: true;
  /** True if request and answer are in the envelope of Google's Code Assist. */
  readonly isEnveloped?: true;
  /** Set if the gateway answers it itself, with the login's account. */
  readonly own?: "account";
}

/** Addresses of the files of a model repository of Hugging Face, at a revision that never changes. */
export const huggingFace = (repository: string, revision: string) => (file: string) =>
  `https://huggingface.co/${repository}/resolve/${revision}/${file}`

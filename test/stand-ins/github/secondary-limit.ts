/** GitHub's answer to requests that come too fast, as a fault: its words, and how many seconds to wait. */
export function secondaryLimit(retryAfter: number) {
  return {
    status: 403,
    headers: { "retry-after": String(retryAfter) },
    body: {
      message:
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.",
      documentation_url:
        "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    },
  };
}

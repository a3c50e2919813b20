// The commit that a release build was made from: `+abc1234`, or nothing in every other build.
const char *auth_commit(void);

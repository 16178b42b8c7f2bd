package find

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/closeout-gate/closeout/internal/github"
	"github.com/closeout-gate/closeout/internal/present"
	"github.com/closeout-gate/closeout/internal/present/console"
	"github.com/closeout-gate/closeout/verify"
)

// ClientOfRunner makes the client from what the runner says of itself, and names the archive of its repository.
func ClientOfRunner(std console.Streams) (client *github.Client, origin string, err error) {
	repository, server := os.Getenv("GITHUB_REPOSITORY"), cmp.Or(os.Getenv("GITHUB_SERVER_URL"), "https://github.com")
	host, err := url.Parse(server)
	if err != nil || host.Host == "" {
		return nil, "", fmt.Errorf("GITHUB_SERVER_URL is %q: expected one such as https://github.com", server)
	}
	api, err := github.APIURL("", os.Getenv("GITHUB_API_URL"))
	if err != nil {
		return nil, "", err
	}
	if repository == "" {
		return nil, "", errors.New("GITHUB_REPOSITORY is not set: expected owner/name of the repository on GitHub")
	}
	client, err = github.New(github.Config{
		API: api, Token: os.Getenv("GITHUB_TOKEN"), Repository: repository, RepositoryID: os.Getenv("GITHUB_REPOSITORY_ID"), Version: verify.Version,
		Waits: func(wait time.Duration, why string) {
			std.Tell("", "waiting %s: %s", wait.Round(time.Second), present.Neutral(why))
		},
	})
	return client, "closeout-archive/" + host.Host + "/" + repository, err
}
